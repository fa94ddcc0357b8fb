"""The servers of a benchmark, each in a separate process, with their CPU time and memory."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_ASK = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "go"}]}


@dataclass(frozen=True)
class Process:
    pid: int

    def cpu_seconds(self) -> float:
        threads = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9

    def memory(self) -> float:
        """Return its proportional share of memory (PSS) in megabytes."""
        lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


@dataclass(frozen=True)
class Server(Process):
    """A Wakeful server."""

    url: str
    key: str


@dataclass(frozen=True)
class Target:
    """A server that answers a request with a stream."""

    name: str
    process: Process
    url: str
    body: Mapping[str, Any]
    # The bytes by which a piece of the stream with a token is recognized.
    mark: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    is_direct: bool = False


@contextmanager
def endpoint(tokens: int, rate: int, window: int | None = None) -> Iterator[Target]:
    """Start the model: a scripted endpoint that answers with this many tokens, and reads no more than `window`."""
    limit = () if window is None else ("--window", str(window))
    with started("tests.endpoint", "--port", "0", "--tokens", str(tokens), "--rate", str(rate), *limit) as process:
        url = first_line(process)
        yield Target("direct", Process(process.pid), f"{url}/chat/completions", _ASK, b'"content"', is_direct=True)


@contextmanager
def relaying(upstream: Target) -> Iterator[Target]:
    with started("benchmarks._relay", upstream.url) as process:
        yield Target("relay", Process(process.pid), first_line(process), _ASK, upstream.mark)


def settings_of(home: Path, upstream: Target) -> dict[str, str]:
    base_url = upstream.url.removesuffix("/chat/completions")
    return {"WAKEFUL_HOME": str(home), "WAKEFUL_MODEL": "openai:m", "OPENAI_BASE_URL": base_url}


@contextmanager
def serving(home: Path, upstream: Target, database: str = "", **more: str) -> Iterator[Server]:
    """Start a server on a SQLite file in its home, or on the PostgreSQL database at this address."""
    settings = settings_of(home, upstream) | ({"WAKEFUL_DATABASE_URL": database} if database else {}) | more
    with started("wakeful", "serve", "--port", "0", settings=settings) as process:
        url = first_line(process).split()[-1]
        yield Server(process.pid, url, (home / "key").read_text().strip())


def stored_responses(server: Server, name: str = "wakeful") -> Target:
    body = {"model": "openai:m", "stream": True, "store": True, "input": "go"}
    headers = {"Authorization": f"Bearer {server.key}"}
    return Target(name, server, f"{server.url}/v1/responses", body, b"event: response.output_text.delta", headers)


@contextmanager
def started(
    module: str, *arguments: str, settings: Mapping[str, str] | None = None, under: Sequence[str] = ()
) -> Iterator[subprocess.Popen[str]]:
    """Start a module in a process; `under` is a command that runs it, such as strace."""
    command = [*under, sys.executable, "-m", module, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(settings or {})})
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()
