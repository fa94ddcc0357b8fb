"""What reading an endpoint's streams costs, from bytes to parts: with our own connections and with aiohttp.

scripts/bench upstream [--streams N] [--tokens N] [--rate N] [--rounds N]
"""

import argparse
import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from benchmarks._servers import Target, endpoint
from wakeful.agent.providers.base import AnswerText, ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.openai.provider import OpenAICompatible
from wakeful.model.journal.message import UserMessage

_REQUEST = ModelRequest("m", "", [UserMessage("go")], [])


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with endpoint(options.tokens, options.rate) as upstream:
        for _ in range(options.rounds):
            for name, provider in (("own", _own(upstream)), ("aiohttp", _through_aiohttp(upstream))):
                # Warm up: imports and connections are not a cost of a token.
                await _tokens(provider, options.streams)
                cpu, began = time.process_time(), time.perf_counter()
                tokens = await _tokens(provider, options.streams)
                cpu, wall = time.process_time() - cpu, time.perf_counter() - began
                print(
                    f"{name:8} {cpu / tokens * 1e6:5.1f} µs CPU a token, {wall:.2f} s for {tokens} tokens", flush=True
                )
                await provider.close()


async def _tokens(provider: OpenAICompatible, streams: int) -> int:
    return sum(await asyncio.gather(*(_read(provider) for _ in range(streams))))


async def _read(provider: OpenAICompatible) -> int:
    return sum([isinstance(part, AnswerText) async for part in provider.stream(_REQUEST)])


def _own(upstream: Target) -> OpenAICompatible:
    return OpenAICompatible(EndpointSettings(upstream.url))


def _through_aiohttp(upstream: Target) -> OpenAICompatible:
    """Name the endpoint as the proxy: it accepts requests for proxies too, so it can be both."""
    with _proxy(upstream.url.removesuffix("/v1/chat/completions")):
        return OpenAICompatible(EndpointSettings("http://model.invalid/v1"))


@contextmanager
def _proxy(address: str) -> Iterator[None]:
    names = ("http_proxy", "no_proxy", "HTTP_PROXY", "NO_PROXY")
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    os.environ["http_proxy"] = address
    try:
        yield
    finally:
        del os.environ["http_proxy"]
        os.environ.update(before)


if __name__ == "__main__":
    uvloop.run(main())
