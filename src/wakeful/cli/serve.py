"""`wakeful serve`: run the server until a signal ends it."""

import asyncio
import faulthandler
import gc
import os
import socket
import sys
from ipaddress import ip_address
from typing import Any

import click

from wakeful.app import running_engine
from wakeful.building.http import build_http, open_front_door
from wakeful.cli.command import run
from wakeful.cli.log import set_up_log
from wakeful.cli.server.http_server import serving
from wakeful.cli.server.listener import bind_listener, local_listener, url_of
from wakeful.cli.server.open_files import allow_many_open_files
from wakeful.cli.signals import caught_signals
from wakeful.config.config import Config
from wakeful.config.home import make_home
from wakeful.config.load import forget_secrets, load_config
from wakeful.config.values import OPERATOR
from wakeful.gateway.entrance.local_key import local_key
from wakeful.gateway.entrance.logins.desk import LoginLinks

# How long a stop may take beyond the grace for its turns.
_ENDING_SECONDS = 4.5


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where to listen; 127.0.0.1 if not set.")
@click.option("--port", metavar="NUMBER", help="8787 if not set; 0 takes any free one.")
def serve(host: str | None, port: str | None) -> None:
    """Run the server until it gets SIGTERM or Ctrl-C."""
    config = load_config(os.environ, options={"host": host, "port": port})
    forget_secrets(os.environ, config)
    make_home(config.home)
    key = local_key(config.home)
    set_up_log(config, key)
    allow_many_open_files()
    with bind_listener(config) as listener:
        run(_serve(config, key, listener))


async def _serve(config: Config, key: str, listener: socket.socket) -> None:
    async with (
        running_engine(config, adopts=True) as running,
        open_front_door(config, running, key, url_of(listener)) as door,
    ):
        with local_listener(config.home) as local, caught_signals() as caught:
            listeners = [listener] if local is None else [listener, local]
            app = build_http(config, running, key, door)
            # The engine stops first, so that /health can report that the server is stopping.
            async with serving(app, listeners, before_end=running.engine.stop) as server:
                _spare_the_collector()
                click.echo("\n".join(greeting(config, listener)))
                click.echo(await _way_in(door.links))
                running.mcp.prepare()
                jobs: list[asyncio.Future[Any]] = [server, caught]
                await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
                # If the shutdown hangs, the process exits and prints where it hung.
                faulthandler.dump_traceback_later(config.engine.stop_grace_seconds + _ENDING_SECONDS, exit=True)


def _spare_the_collector() -> None:
    """Let the garbage collector skip what the start has loaded, which stays for good, and run less often: turns leave
    few cycles behind, and with Python's default of every 700 new objects it takes a seventh of a busy server's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def greeting(config: Config, listener: socket.socket) -> list[str]:
    """Return the lines that say where the server is and where its key is."""
    lines = [f"Wakeful is at {url_of(listener)}"]
    if ip_address(listener.getsockname()[0]).is_unspecified and not config.hosts and not config.public_url:
        lines.append("Other machines can use it only by the names that WAKEFUL_HOSTS lists.")
    return [*lines, f"The key is in {config.home / 'key'}; wakeful key prints it."]


async def _way_in(links: LoginLinks) -> str:
    """Return a login link for a terminal. Standard output that goes to a log gets none: others may read it later."""
    if not sys.stdout.isatty():
        return "Run wakeful login for a link that opens the page."
    link = await links.new(OPERATOR)
    return f"Open it with {link}\nThe link works once, within an hour; wakeful login prints another."
