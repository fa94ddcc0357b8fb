"""A server and a scripted model endpoint in separate processes, and the official clients for them."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import orjson
from openai import AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletionChunk

from tests.api.document import judge
from tests.patience import PATIENCE
from tests.warm import Order, start

ROOT = Path(__file__).parents[2]
ALICE, BOB = "the-key-of-alice", "the-key-of-bob-too"
_KEYS = f"alice={ALICE},bob={BOB}"
# Nothing here is encrypted, and loading certificates for every client takes longer than most tests.
_PLAIN: dict[str, Any] = {"trust_env": False, "verify": False}


def script(**fields: Any) -> str:
    """Return a message that makes the endpoint do this."""
    return f"script: {orjson.dumps(fields).decode()}"


def until(condition: Callable[[], bool]) -> None:
    """Poll until the condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def until_spoken(chat: Iterable[ChatCompletionChunk]) -> None:
    """Read a chat's stream up to the model's first word: its first chunk comes before the model is asked."""
    next(chunk for chunk in chat if chunk.choices[0].delta.content)


@dataclass(slots=True)
class ModelEndpoint:
    """The scripted endpoint, and the requests that it got."""

    process: subprocess.Popen[bytes]
    url: str

    def stats(self) -> dict[str, int]:
        stats: dict[str, int] = self._get("/stats")
        return stats

    def requests(self) -> list[dict[str, Any]]:
        requests: list[dict[str, Any]] = self._get("/requests")
        return requests

    @contextmanager
    def seeing(self, **more: int) -> Iterator[None]:
        """On exit, wait until the counters of the endpoint have grown by this much."""
        before = self.stats()
        yield
        until(lambda: all(self.stats()[name] >= before[name] + number for name, number in more.items()))

    def _get(self, path: str) -> Any:
        return httpx2.get(self.url.removesuffix("/v1") + path, **_PLAIN).raise_for_status().json()


@dataclass(slots=True)
class ApiServer:
    home: Path
    settings: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    root: str = ""
    # Where stderr of the server goes; None for that of the tests.
    log: Path | None = None
    # Whether it is started from scratch, and not forked: its memory is then its own.
    is_cold: bool = False

    def start(self) -> None:
        """Start the server, on its former port after a restart, so clients find it again."""
        arguments = ["serve", "--port", self.root.rpartition(":")[2] or "0"]
        settings = {"WAKEFUL_HOME": str(self.home), "WAKEFUL_API_KEYS": _KEYS, **self.settings}
        order = Order(arguments, ROOT, _environment() | settings, is_cold=self.is_cold)
        with self.log.open("ab") if self.log is not None else nullcontext() as errors:
            self.process = start(order, stdout=subprocess.PIPE, stderr=errors)
        self.root = _line_with(self.process, "http://").rpartition(" ")[2]

    def kill(self) -> None:
        """Kill the server without a chance to clean up."""
        _kill(self.process)

    def stop(self) -> None:
        """Ask the server to stop, and return at once."""
        assert self.process is not None
        self.process.terminate()

    def wait(self) -> int:
        """Wait up to 10 seconds for the server to end, and return its exit code."""
        assert self.process is not None
        assert self.process.stdout is not None
        code = self.process.wait(10)
        self.process.stdout.close()
        return code

    @property
    def is_stopping(self) -> bool:
        return self.send("GET", "/health").status_code == 503

    def client(self, key: str = ALICE, **how: Any) -> OpenAI:
        """Return an official client that does not retry."""
        return OpenAI(base_url=f"{self.root}/v1", api_key=key, http_client=_http(), **{"max_retries": 0} | how)

    def async_client(self, key: str = ALICE, **how: Any) -> AsyncOpenAI:
        http = httpx2.AsyncClient(**_PLAIN, timeout=PATIENCE, event_hooks={"response": [_judge_later]})
        return AsyncOpenAI(base_url=f"{self.root}/v1", api_key=key, http_client=http, **{"max_retries": 0} | how)

    def send(self, method: str, path: str, key: str = ALICE, **how: Any) -> httpx2.Response:
        """Send a request without an official client."""
        headers = {"authorization": f"Bearer {key}"} | how.pop("headers", {})
        with _http() as http:
            return http.request(method, f"{self.root}{path}", headers=headers, **how)


@contextmanager
def running_endpoint() -> Iterator[ModelEndpoint]:
    command = [sys.executable, "-m", "tests.endpoint", "--tokens", "3", "--rate", "0", "--record"]
    process = subprocess.Popen(command, cwd=ROOT, env=_environment(), stdout=subprocess.PIPE)
    try:
        yield ModelEndpoint(process, _line_with(process, "http://"))
    finally:
        _kill(process)


@contextmanager
def running_server(home: Path, log: Path | None = None, /, **settings: str) -> Iterator[ApiServer]:
    with running(ApiServer(home, settings, log=log)) as server:
        yield server


@contextmanager
def running(server: ApiServer) -> Iterator[ApiServer]:
    try:
        server.start()
        yield server
    finally:
        server.kill()


def _environment() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("WAKEFUL_", "OPENAI_", "ANTHROPIC_"))
    }


def _line_with(process: subprocess.Popen[bytes], words: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if words in (text := line.decode().strip()):
            return text
    raise AssertionError("the process ended before it printed its address")


def _kill(process: subprocess.Popen[bytes] | None) -> None:
    if process is None:
        return
    process.kill()
    process.wait(PATIENCE)
    if process.stdout is not None:
        process.stdout.close()


def _http() -> httpx2.Client:
    return httpx2.Client(**_PLAIN, timeout=PATIENCE, event_hooks={"response": [_judge]})


def _judge(reply: httpx2.Response) -> None:
    """Check an answer against the document. Streams are left to their readers."""
    if not reply.headers.get("content-type", "").startswith("text/event-stream"):
        asked = reply.request
        # Still encoded: a slash in a name is not part of the path.
        path = asked.url.raw_path.decode().partition("?")[0]
        judge(asked.method, path, reply.status_code, reply.headers, reply.read())


async def _judge_later(reply: httpx2.Response) -> None:
    if not reply.headers.get("content-type", "").startswith("text/event-stream"):
        await reply.aread()
        _judge(reply)
