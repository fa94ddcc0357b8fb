"""`wakeful ask`: one turn, printed as it comes. It is a door that cannot deliver later: it ends with its turn."""

import asyncio
import os
import sys
from contextlib import aclosing
from pathlib import Path
from signal import Signals
from typing import Any

import click

from wakeful.app import running_engine
from wakeful.cli.answer_printer import AnswerPrinter
from wakeful.cli.event_loop import run
from wakeful.cli.log import set_up_log
from wakeful.cli.signals import caught_signals
from wakeful.config.config import Config
from wakeful.config.load import load_config
from wakeful.config.values import OPERATOR
from wakeful.engine.engine import Engine
from wakeful.engine.submission import Receipt, Submission
from wakeful.errors import ConfigError, MessageUnusable, TurnFailed
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.ids import new_id
from wakeful.model.session import Address
from wakeful.model.turn import Door

_DOOR = Door("ask", async_delivery=False)
_ADDRESS = Address("ask")


@click.command()
@click.argument("message")
@click.option("--model", metavar="PROVIDER:MODEL", help="Who answers; WAKEFUL_MODEL if not set.")
def ask(message: str, model: str | None) -> int:
    """Ask MESSAGE, or what standard input holds if it is -, and print the answer as it comes."""
    text = _checked(_read_input() if message == "-" else message)
    defaults = {"workspace": _current_folder(), "log_level": "warning"}
    config = load_config(os.environ, options={"model": model}, defaults=defaults)
    set_up_log(config)
    return run(_ask(config, text))


async def _ask(config: Config, text: str) -> int:
    async with running_engine(config, adopts=False) as engine:
        with caught_signals() as caught:
            session = await engine.create_session(OPERATOR, _ADDRESS, config.model, str(config.workspace))
            receipt = await engine.submit(Submission(session.id, text, _DOOR, _ADDRESS, new_id("ask"), config.model))
            return await _follow_or_stop(engine, receipt, caught)


async def _follow_or_stop(engine: Engine, receipt: Receipt, caught: asyncio.Future[Signals]) -> int:
    following = asyncio.create_task(_print_turn(engine, receipt))
    failing = asyncio.create_task(engine.store_failure())
    try:
        jobs: list[asyncio.Future[Any]] = [following, failing, caught]
        await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        if following.done() and following.exception() is None:
            return _exit_code(following.result())
        if failing.done():
            raise failing.result()
        # Nobody waits for the turn any more.
        await engine.cancel(receipt.session_id)
        return 128 + caught.result() if caught.done() else _exit_code(following.result())
    finally:
        following.cancel()
        failing.cancel()
        await asyncio.gather(following, failing, return_exceptions=True)


async def _print_turn(engine: Engine, receipt: Receipt) -> Event:
    """Print the turn and return its last event."""
    printer = AnswerPrinter(sys.stdout, sys.stderr)
    try:
        async with aclosing(engine.subscribe_turn(receipt.session_id, receipt.turn_id)) as turn:
            async for event in turn:
                printer.show(event)
    finally:
        printer.end_line()
    return event


def _exit_code(last: Event) -> int:
    if last.kind == events.DONE:
        return 0
    raise TurnFailed(last.data["message"], code=last.data["code"])


def _read_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise MessageUnusable("What standard input holds is not a text in UTF-8.") from None


def _checked(text: str) -> str:
    if not text.strip():
        raise MessageUnusable("The message is empty.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise MessageUnusable("The message is not a text in UTF-8.") from None
    return text


def _current_folder() -> Path:
    try:
        folder = Path.cwd()
        str(folder).encode()
    except OSError as error:
        raise ConfigError(f"The current folder is not there any more ({error.strerror}).") from error
    except UnicodeEncodeError:
        raise ConfigError("The name of the current folder is not written in UTF-8: set WAKEFUL_WORKSPACE.") from None
    return folder
