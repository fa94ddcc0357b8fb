"""What a token of each wire costs, from bytes to parts, as a ratio to the bare parse of the same stream.

scripts/bench providers [--streams N] [--tokens N] [--rate N] [--rounds N]
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import orjson
import uvloop

from benchmarks._servers import endpoint
from tests.wires.chat import ChatServer
from tests.wires.messages import MessagesServer
from tests.wires.responses import ResponsesServer
from tests.wires.script import Script
from tests.wires.wire import WireServer
from wakeful.agent.providers.base import AnswerText, ModelRequest, Provider
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.agent.providers.registry import ProviderRegistry, ProviderSettings
from wakeful.model.journal.message import UserMessage

_REQUEST = ModelRequest("m", "", [UserMessage("go")], [])
_BODY = {"model": "m", "messages": [{"role": "user", "content": "go"}], "input": "go"}
_SERVERS: Sequence[tuple[Wire, WireServer]] = (
    (Wire.OPENAI, ChatServer()),
    (Wire.ANTHROPIC, MessagesServer()),
    (Wire.RESPONSES, ResponsesServer()),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds of CPU a token: of parsing alone, and of the whole adapter with its connections."""

    bare: float
    whole: float

    @property
    def ratio(self) -> float:
        return self.whole / self.bare


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with endpoint(options.tokens, options.rate) as upstream:
        base_url = upstream.url.removesuffix("/chat/completions")
        registry = ProviderRegistry(ProviderSettings({wire.value: _settings(wire, base_url) for wire in Wire}))
        for _ in range(options.rounds):
            costs = {
                wire: Cost(
                    _parse(server, options.tokens, options.streams),
                    await _read_all(registry.resolve(f"{wire}:m")[0], options.streams),
                )
                for wire, server in _SERVERS
            }
            _report(costs)
        await registry.close()


def _settings(wire: Wire, base_url: str) -> EndpointSettings:
    return EndpointSettings(base_url, "sk-bench", name=wire.value, wire=wire)


def _report(costs: dict[Wire, Cost]) -> None:
    for wire, cost in costs.items():
        to_openai = cost.whole / costs[Wire.OPENAI].whole
        print(
            f"{wire:10} {cost.whole:5.1f} µs CPU a token, bare parse {cost.bare:4.2f} µs, "
            f"ratio {cost.ratio:4.1f}, to the openai wire {to_openai:4.2f}",
            flush=True,
        )


def _parse(server: WireServer, tokens: int, streams: int) -> float:
    """Parse the events of the same streams, one read for each token, and do nothing with them."""
    script = Script(tokens=tokens)
    pieces = [server.opening(script, _BODY), *server.tokens(script, _BODY), server.ending(script, _BODY)]
    began = time.process_time()
    for _ in range(streams):
        for piece in pieces:
            for event in piece.split(b"\n\n"):
                data = event.partition(b"data: ")[2]
                if data and data != b"[DONE]":
                    orjson.loads(data)
    return (time.process_time() - began) / (streams * tokens) * 1e6


async def _read_all(provider: Provider, streams: int) -> float:
    # Warm up: imports and connections are not a cost of a token.
    await asyncio.gather(*(_read(provider) for _ in range(streams)))
    began = time.process_time()
    tokens = sum(await asyncio.gather(*(_read(provider) for _ in range(streams))))
    return (time.process_time() - began) / tokens * 1e6


async def _read(provider: Provider) -> int:
    return sum([isinstance(part, AnswerText) async for part in provider.stream(_REQUEST)])


if __name__ == "__main__":
    uvloop.run(main())
