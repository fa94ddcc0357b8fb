"""Connects a command to an engine: the running server, or else one in this process. Both are used through a Client."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from socket import socket

from wakeful.app import running_engine
from wakeful.building.http import build_front_door, build_http
from wakeful.cli.client import Client
from wakeful.cli.server.http_server import serving
from wakeful.cli.server.listener import bind_local, is_answered, local_listener, local_socket
from wakeful.config.config import Config
from wakeful.config.home import make_home
from wakeful.config.load import forget_secrets
from wakeful.errors import StoreLocked
from wakeful.gateway.entrance.local_key import local_key

# How long to wait while another process holds the database without answering: it may be starting or stopping.
_PATIENCE_SECONDS = 5.0
_LOOK_SECONDS = 0.1


@asynccontextmanager
async def connected(config: Config, *, adopts: bool, door: str) -> AsyncIterator[Client]:
    """Yield a client of the running server. Without a server, run an engine in this process meanwhile: with `adopts` it
    does everything that a server does, and other commands find it; otherwise it runs only this client's requests.
    """
    make_home(config.home)
    forget_secrets(os.environ, config)
    key = local_key(config.home)
    async with AsyncExitStack() as ending:
        path = await _find_or_start(config, key, ending, adopts=adopts)
        yield await ending.enter_async_context(Client(path, key, door))


async def _find_or_start(config: Config, key: str, ending: AsyncExitStack, *, adopts: bool) -> Path:
    path = local_socket(config.home)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _PATIENCE_SECONDS
    while not is_answered(path):
        try:
            return await ending.enter_async_context(_own_engine(config, key, adopts=adopts))
        except StoreLocked:
            if loop.time() > deadline:
                raise
        await asyncio.sleep(_LOOK_SECONDS)
    return path


@asynccontextmanager
async def _own_engine(config: Config, key: str, *, adopts: bool) -> AsyncIterator[Path]:
    """Run an engine and yield the path of its socket."""
    async with running_engine(config, adopts=adopts) as running:
        with _own_listener(config.home, is_public=adopts) as (listener, path):
            app = build_http(config, running, key, build_front_door(config, running))
            async with serving(app, [listener], before_end=running.engine.stop):
                running.mcp.prepare()
                yield path


@contextmanager
def _own_listener(home: Path, *, is_public: bool) -> Iterator[tuple[socket, Path]]:
    if is_public:
        with local_listener(home) as listener:
            if listener is not None:
                yield listener, local_socket(home)
                return
    with tempfile.TemporaryDirectory(prefix="wakeful-") as folder:
        path = Path(folder) / "sock"
        with bind_local(path) as listener:
            yield listener, path
