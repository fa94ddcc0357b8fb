"""A walk through edits of two files, an undo, and the message after it."""

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing

import orjson

from tests.acceptance.ledger import Fate, Ledger
from tests.acceptance.walks import DyingStore, walk_cases
from tests.bare_engine import HOST, NoAttachments, NoBinder, NoFiles, NoProcesses, NoPrompts, NoUnstoredWork
from tests.open_gate import OPEN_GATE
from tests.short_results import SHORT_RESULTS
from wakeful.agent.loop import Loop
from wakeful.agent.providers.base import AnswerPart, AnswerText, Finished, ModelRequest
from wakeful.agent.settings import AgentSettings
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Submission
from wakeful.engine.ledger import Ledger as EngineLedger
from wakeful.engine.ports import Equipment
from wakeful.engine.settings import EngineSettings
from wakeful.errors import NothingToUndo
from wakeful.model.journal.message import AssistantMessage, ToolCall, ToolMessage, Usage
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door
from wakeful.store.base import Transaction
from wakeful.tools.files.change_tools import EditFile, WriteFile
from wakeful.tools.files.copies import FileCopies
from wakeful.tools.files.file_changer import FileChanger
from wakeful.tools.files.workspace import Folders

SESSION = "ses_a"
BEFORE, AFTER = "one\n" * 1_000, "one\n" * 999 + "two\n"
MADE = "new\n"

_DOOR, _ADDRESS = Door("web", async_delivery=True), Address("web")


class EditingModel:
    """Edits one file and writes another, each once, and says then that it is done."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        self._ledger.add("requests", orjson.dumps([message.text for message in request.messages]).decode())
        has_worked = any(isinstance(message, ToolMessage) for message in request.messages)
        edit = {"path": "a.txt", "old_text": BEFORE, "new_text": AFTER}
        calls = (
            ToolCall("", "edit_file", orjson.dumps(edit).decode()),
            ToolCall("", "write_file", orjson.dumps({"path": "b.txt", "content": MADE}).decode()),
        )
        answer = AssistantMessage("Done." if has_worked else "I begin.", calls=() if has_worked else calls)
        yield AnswerText(answer.text)
        yield Finished(answer, Usage(1, 1))

    async def close(self) -> None: ...


async def walk(store: DyingStore, ledger: Ledger, fate: Fate) -> None:
    _die_around_replaced_files(ledger, fate)
    folder = ledger.folder / "folder"
    if not folder.exists():
        folder.mkdir()
        (folder / "a.txt").write_text(BEFORE)
    engine = _engine(store, ledger)
    session = Session(SESSION, "owner", _ADDRESS, "m", str(folder))

    async def create(tx: Transaction) -> None:
        await tx.sessions.create_if_absent(session)

    await store.write(create, lock=[SESSION])
    await engine.start()
    await _finish(engine, "Work.")
    while True:
        try:
            await engine.undo_desk.undo(SESSION)
        except NothingToUndo:
            break
    await _finish(engine, "And now?")
    await engine.stop()


def _engine(store: DyingStore, ledger: Ledger) -> Engine:
    rows = EngineLedger(
        store, SystemClock(), EngineSettings(lease_seconds=0.1, resume_limit=100), host=HOST, binder=NoBinder()
    )
    copies, folders = FileCopies(ledger.folder / "home"), Folders(ledger.folder / "home")
    changer = FileChanger(rows.changes, copies)
    model = EditingModel(ledger)
    tools = [EditFile(changer, folders), WriteFile(changer, folders)]
    loop = Loop(lambda name: (model, name), tools, OPEN_GATE, AgentSettings(), SHORT_RESULTS)
    equipment = Equipment(loop, NoPrompts(), NoProcesses(), NoUnstoredWork(), NoFiles(), copies, NoAttachments())
    return Engine(rows, equipment)


def _die_around_replaced_files(ledger: Ledger, fate: Fate) -> None:
    """Let "before a file 2" and "after a file 2" be moments of death."""
    replace = os.replace

    def dying(path: str, target: str, **folders: int) -> None:
        ledger.add("files", target)
        number = len(ledger.lines("files"))
        fate.meet(f"before a file {number}")
        replace(path, target, **folders)
        fate.meet(f"after a file {number}")

    os.replace = dying  # type: ignore[assignment]


async def _finish(engine: Engine, text: str) -> None:
    """Send a message, unless a process before this one has, and wait for the end of its turn."""
    receipt = await engine.submit(Submission(SESSION, text, _DOOR, _ADDRESS, dedupe_key=text, model="m"))
    async with aclosing(engine.subscribe_turn(receipt.session_id, receipt.turn_id)) as pages:
        async for _ in pages:
            pass


if __name__ == "__main__":
    walk_cases(walk)
