"""Runs one turn on an engine in this process, which adopts and wakes nothing else."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from signal import Signals
from typing import Any

from wakeful.app import running_engine
from wakeful.cli.asking.answer_printer import AnswerPrinter, exit_code_of
from wakeful.cli.signals import caught_signals
from wakeful.config.config import Config
from wakeful.config.values import OPERATOR
from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.errors import MessageUnusable
from wakeful.gateway.platforms.local import AskAdapter
from wakeful.model.event import TOKEN, Event, StreamItem
from wakeful.model.files.attachment import Attachment
from wakeful.model.ids import new_id
from wakeful.model.session import Address

_DOOR = AskAdapter.door()
_ADDRESS = Address(_DOOR.name)


async def ask_own_engine(config: Config, text: str, files: Sequence[Path] = ()) -> int:
    async with running_engine(config, adopts=False) as running:
        engine = running.engine
        with caught_signals() as caught:
            offered = [await _offered(running.attachments, file) for file in files]
            session = await engine.create_session(OPERATOR, _ADDRESS, config.model, str(config.workspace))
            attached = await running.attachments.claim([file.id for file in offered], session, OPERATOR)
            message = Submission(session.id, text, _DOOR, _ADDRESS, new_id("ask"), config.model, attachments=attached)
            receipt = await engine.submit(message)
            return await _follow_or_stop(engine, receipt, caught)


async def _offered(desk: AttachmentDesk, file: Path) -> Attachment:
    try:
        return await desk.offer(new_id("att"), file, OPERATOR)
    except OSError as error:
        raise MessageUnusable(f"{file} cannot be attached: {(error.strerror or 'unknown error').lower()}.") from error


async def _follow_or_stop(engine: Engine, receipt: Receipt, caught: asyncio.Future[Signals]) -> int:
    following = asyncio.create_task(_print_turn(engine, receipt))
    failing = asyncio.create_task(engine.store_failure())
    try:
        jobs: list[asyncio.Future[Any]] = [following, failing, caught]
        await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        if following.done() and following.exception() is None:
            return exit_code_of(following.result().kind, following.result().data)
        if failing.done():
            raise failing.result()
        # A signal arrived or the reader failed: the turn has no reader any more.
        await engine.cancel(receipt.session_id)
        last = None if caught.done() else following.result()
        return 128 + caught.result() if last is None else exit_code_of(last.kind, last.data)
    finally:
        following.cancel()
        failing.cancel()
        await asyncio.gather(following, failing, return_exceptions=True)


async def _print_turn(engine: Engine, receipt: Receipt) -> Event:
    """Print the turn and return its last event."""
    printer = AnswerPrinter(sys.stdout, sys.stderr)
    try:
        async with aclosing(engine.subscribe_turn(receipt.session_id, receipt.turn_id)) as pages:
            async for page in pages:
                for item in page:
                    _print(printer, item)
                    last = item
    finally:
        printer.end_line()
    assert isinstance(last, Event)
    return last


def _print(printer: AnswerPrinter, item: StreamItem) -> None:
    if isinstance(item, Event):
        printer.show(item.kind, item.data)
    elif item.kind == TOKEN:
        printer.say(item.head.step, item.text)
