"""`wakeful serve`: run the server until it is told to end."""

import asyncio
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import uvicorn
from starlette.types import ASGIApp

from wakeful.app import build_http, running_engine
from wakeful.cli.event_loop import run
from wakeful.cli.listener import bind_listener, url_of
from wakeful.cli.log import set_up_log
from wakeful.cli.signals import caught_signals
from wakeful.config.config import Config
from wakeful.config.home import make_home
from wakeful.config.load import load_config
from wakeful.gateway.local_key import local_key

# Answers under way get so long to end.
_LAST_ANSWERS_SECONDS = 2


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where to listen; 127.0.0.1 if not set.")
@click.option("--port", metavar="NUMBER", help="8787 if not set; 0 takes any free one.")
def serve(host: str | None, port: str | None) -> None:
    """Run the server until it gets SIGTERM or Ctrl-C."""
    config = load_config(os.environ, options={"host": host, "port": port})
    make_home(config.home)
    key = local_key(config.home)
    set_up_log(config, key)
    with bind_listener(config) as listener:
        run(_serve(config, key, listener))


async def _serve(config: Config, key: str, listener: socket.socket) -> None:
    async with running_engine(config, adopts=True) as engine:
        server = _Server(build_http(config, engine, key), lambda: _greet(config, listener))
        with caught_signals() as caught:
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            jobs: list[asyncio.Future[Any]] = [serving, caught]
            await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
            try:
                # Still answering: whoever asks for its health hears that it is stopping.
                await engine.stop()
            finally:
                server.should_exit = True
                await serving


def _greet(config: Config, listener: socket.socket) -> None:
    click.echo(f"Wakeful is at {url_of(listener)}")
    click.echo(f"The key is in {config.home / 'key'}; wakeful key prints it.")


class _Server(uvicorn.Server):
    def __init__(self, app: ASGIApp, on_started: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http="httptools",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                workers=1,
                timeout_graceful_shutdown=_LAST_ANSWERS_SECONDS,
            )
        )
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are ours: the engine stops before the server does."""
        yield
