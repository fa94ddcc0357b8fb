"""The scripted endpoint itself: what it counts must be right, or the tests that use it prove nothing."""

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import pytest

from tests.endpoint import Endpoint, Script


def _body(words: str = "Hi") -> bytes:
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": words}], "stream": True}).encode()


def _post(url: str, words: str = "Hi") -> str:
    with urllib.request.urlopen(f"{url}/chat/completions", _body(words), timeout=10) as response:
        return str(response.read().decode())


@pytest.fixture
def process_url() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.endpoint", "--port", "0", "--tokens", "4", "--rate", "0", "--record"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def test_as_a_process_it_prints_its_url_and_reports_what_it_has_seen(process_url: str) -> None:
    streamed = _post(process_url)
    root = process_url.removesuffix("/v1")
    with urllib.request.urlopen(f"{root}/stats", timeout=10) as response:
        stats = json.load(response)
    with urllib.request.urlopen(f"{root}/requests", timeout=10) as response:
        requests = json.load(response)

    assert streamed.count("token") == 4
    assert streamed.endswith("data: [DONE]\n\n")
    assert (stats["requests"], stats["answered"], stats["dropped"]) == (1, 1, 0)
    assert requests[0]["messages"][0]["content"] == "Hi"


async def test_the_last_user_message_may_override_the_script() -> None:
    async with Endpoint(Script(tokens=1)) as endpoint:
        streamed = await asyncio.to_thread(_post, endpoint.url, 'script: {"tokens": 5}')

    assert streamed.count("token") == 5


async def test_tokens_are_not_faster_than_their_rate() -> None:
    async with Endpoint(Script(tokens=11, rate=50)) as endpoint:
        start = time.monotonic()
        await asyncio.to_thread(_post, endpoint.url)

    assert time.monotonic() - start >= 0.2


async def test_a_client_that_leaves_is_counted_as_dropped() -> None:
    async with Endpoint(Script(tokens=1000, rate=10)) as endpoint:
        port = int(endpoint.url.rpartition(":")[2].removesuffix("/v1"))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = _body()
        writer.write(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await reader.readuntil(b"token0")
        writer.close()

        await endpoint.wait_for(dropped=1)
        assert endpoint.tally.answered == 0
