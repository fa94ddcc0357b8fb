"""`wakeful attach`: watch a session of the running server."""

import asyncio
import os
import sys

import click
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.patch_stdout import patch_stdout

from wakeful.cli.chat.chat import is_terminal
from wakeful.cli.chat.followed_session import FollowedSession
from wakeful.cli.chat.narrator import Narrator
from wakeful.cli.chat.probe import keep_probing
from wakeful.cli.chat.screens.plain_screen import PlainScreen
from wakeful.cli.chat.screens.terminal_screen import TerminalScreen
from wakeful.cli.chat.standing import Standing
from wakeful.cli.command import run
from wakeful.cli.connection import connected
from wakeful.cli.lists.session_list import find_session
from wakeful.cli.log import set_up_log
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.cli.signals import caught_signals
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.errors import ConfigError

_PROMPT = "(watching; Ctrl-C leaves) "


@click.command()
@click.argument("session")
def attach(session: str) -> None:
    """Watch SESSION live, from its last messages on, until Ctrl-C. The beginning of its id is enough."""
    config = load_config(os.environ, defaults={"log_level": "warning"})
    if not config.database_url and not is_answered(local_socket(config.home)):
        raise ConfigError("No server runs here that you could watch: wakeful chat --resume continues a session.")
    if not is_terminal():
        set_up_log(config)
        run(_watch_in_pipe(config, session))
        return
    with patch_stdout():
        set_up_log(config)
        run(_watch_at_terminal(config, session))


async def _watch_at_terminal(config: Config, name: str) -> None:
    screen = TerminalScreen(prompt=_PROMPT, keys=_leaving_keys(), accept=lambda text: None)
    screen.standing.may_answer = False
    async with connected(config, adopts=False, door="terminal") as client:
        followed = FollowedSession(client, Narrator(screen, screen.standing), screen.standing, screen.change)
        await followed.begin(await find_session(client, name))
        probing = asyncio.create_task(keep_probing(client, screen.standing, screen.change), name="probe")
        try:
            with caught_signals() as caught:
                caught.add_done_callback(lambda _: screen.end())
                await screen.run()
        finally:
            probing.cancel()
            await asyncio.gather(probing, return_exceptions=True)
            await followed.leave()


async def _watch_in_pipe(config: Config, name: str) -> None:
    standing = Standing(may_answer=False)
    async with connected(config, adopts=False, door="terminal") as client:
        followed = FollowedSession(client, Narrator(PlainScreen(sys.stdout), standing), standing, lambda: None)
        try:
            with caught_signals() as caught:
                await followed.begin(await find_session(client, name))
                await caught
        finally:
            await followed.leave()


def _leaving_keys() -> KeyBindings:
    keys = KeyBindings()
    keys.add("<any>")(lambda event: None)
    for leaving in ("c-c", "c-d", "q"):
        keys.add(leaving, eager=True)(lambda event: event.app.exit())
    return keys
