"""`wakeful chat`: talk to an agent in the terminal, or through a pipe."""

import asyncio
import os
import sys
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import click
from prompt_toolkit.patch_stdout import patch_stdout

from wakeful.cli.chat.piped_chat import PipedChat
from wakeful.cli.chat.successor import Successor
from wakeful.cli.chat.terminal_chat import TerminalChat
from wakeful.cli.command import current_folder, run
from wakeful.cli.connection import connected
from wakeful.cli.log import set_up_log
from wakeful.cli.server.listener import is_answered, local_socket
from wakeful.cli.signals import caught_signals
from wakeful.config.config import Config
from wakeful.config.load import load_config

_DOOR = "terminal"
_GRACE_SECONDS = 1.0
# What `--resume` without a session stands for.
_NEWEST = ""


@click.command()
@click.option(
    "--resume", metavar="[SESSION]", is_flag=False, flag_value=_NEWEST, help="Go on with a session; alone, the newest."
)
@click.option("--model", metavar="PROVIDER:MODEL", help="Who answers; WAKEFUL_MODEL if not set.")
@click.option(
    "--wait",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=600.0,
    help="In a pipe: how long to wait, at the end of the input, for what was started; 600 if not set.",
)
def chat(resume: str | None, model: str | None, wait: float) -> int:
    """Talk to an agent. Without a terminal, each line of standard input is a message."""
    defaults = {"workspace": current_folder(), "log_level": "warning"}
    config = load_config(os.environ, options={"model": model}, defaults=defaults)
    if not is_terminal():
        set_up_log(config)
        return run(_chat_in_pipe(config, resume, model or "", wait))
    # Log lines are printed above the prompt, without control characters.
    with patch_stdout():
        set_up_log(config)
        return run(_chat_at_terminal(_leaving_quickly(config), resume, model or ""))


def is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


async def _chat_at_terminal(config: Config, resume: str | None, model: str) -> int:
    is_server = not is_answered(local_socket(config.home))
    async with connected(config, adopts=True, door=_DOOR) as client, Successor(config, _DOOR) as successor:
        chat = TerminalChat(
            client,
            successor,
            home=config.home,
            model=_model(config),
            shown_model=config.model if is_server else _model(config),
            workspace=str(config.workspace),
        )
        with caught_signals() as caught:
            code = await _until(chat.run(resume, model), caught)
        chat.say_farewell(is_server=is_server or successor.is_at_work)
        return code


async def _chat_in_pipe(config: Config, resume: str | None, model: str, wait: float) -> int:
    async with connected(config, adopts=True, door=_DOOR) as client:
        chat = PipedChat(client, model=_model(config), workspace=str(config.workspace))
        with caught_signals() as caught:
            return await _until(chat.run(resume, model, wait), caught)


async def _until(chat: Coroutine[Any, Any, int], caught: "asyncio.Future[Any]") -> int:
    """Return the exit code of the chat, or of the signal that ended it."""
    job = asyncio.create_task(chat, name="chat")
    jobs: list[asyncio.Future[Any]] = [job, caught]
    await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
    if job.done():
        return job.result()
    job.cancel()
    await asyncio.gather(job, return_exceptions=True)
    return 128 + int(caught.result())


def _leaving_quickly(config: Config) -> Config:
    """Shorten the grace of a stop: the user should not wait for a step that the next start repeats anyway."""
    grace = min(config.engine.stop_grace_seconds, _GRACE_SECONDS)
    return replace(config, engine=replace(config.engine, stop_grace_seconds=grace))


def _model(config: Config) -> str:
    """Return the model that the user asked for; empty for the server's."""
    return config.model if "model" in config.origins else ""
