"""Runs hermes-agent, another agent server, to compare it on the same requests."""

import os
import socket
import subprocess
import time
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks._servers import Process, Target

_PACKAGES = ("hermes-agent==0.19.0", "aiohttp")
_FOLDER = Path(__file__).parents[1] / ".venv-peer"
_KEY = "only-for-this-benchmark"
_START_SECONDS = 120.0
# No limit on simultaneous runs: by default it refuses the eleventh.
_CONFIG = """model:
  default: m
  provider: custom
  base_url: {url}
  api_key: none
gateway:
  api_server:
    max_concurrent_runs: 0
"""


@contextmanager
def peer_serving(folder: Path, upstream: Target) -> Iterator[Target]:
    home, port = folder / "peer", _free_port()
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(_CONFIG.format(url=upstream.url.removesuffix("/chat/completions")))
    with (home / "log").open("w") as log:
        command = [str(_installed() / "bin" / "hermes"), "gateway", "run"]
        process = subprocess.Popen(command, env=_environment(home, port), stdout=log, stderr=log, cwd=home)
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", process)
            body = {"model": "m", "stream": True, "store": True, "input": "go"}
            url, headers = f"http://127.0.0.1:{port}/v1/responses", {"Authorization": f"Bearer {_KEY}"}
            yield Target("hermes", Process(process.pid), url, body, b"output_text.delta", headers)
        finally:
            process.terminate()
            process.wait()


def _installed() -> Path:
    if not (_FOLDER / "bin" / "hermes").exists():
        print(f"Installing {' and '.join(_PACKAGES)} into {_FOLDER.name}", flush=True)
        venv.create(_FOLDER, with_pip=True)
        pip = [str(_FOLDER / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *_PACKAGES], check=True)
    return _FOLDER


def _environment(home: Path, port: int) -> dict[str, str]:
    """Return a clean environment without the caller's keys and settings."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "HERMES_HOME": str(home),
        "API_SERVER_ENABLED": "true",
        "API_SERVER_PORT": str(port),
        "API_SERVER_KEY": _KEY,
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Poll until the server answers: it prints nothing when it is ready."""
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("hermes-agent did not start") from None
            time.sleep(0.2)
        else:
            return
