"""A session that reads a long log in a small window goes on for as long as its user wants."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.endpoint import Endpoint, Script
from tests.wires.wire import WireServer
from wakeful.agent.prompt import SUMMARY_INSTRUCTIONS
from wakeful.app import running_engine
from wakeful.building.engine import Running
from wakeful.config.load import load_config
from wakeful.engine.inbox.submission import Submission
from wakeful.model.event import Event
from wakeful.model.journal.entry import EntryKind, summary_of
from wakeful.model.journal.summary import Summary
from wakeful.model.session import Address
from wakeful.model.turn import Door, TurnStatus
from wakeful.store.base import Transaction

WINDOW = 8_000
MODEL, ADDRESS = "openai:small", Address("web")
LINES = 20_000
GOAL = "Goal: find out how often the pump failed."
PLAN = {"id": "1", "text": "Count the lines with a failure", "status": "active"}
# The lines that are read with one call.
_PIECE = 60


class ReadingModel(Endpoint):
    """Reads the next piece of the log in each turn. It knows the goal from what it reads alone."""

    def __init__(self) -> None:
        super().__init__(Script(window=WINDOW))
        self.pieces = 0

    def take(self, wire: WireServer, headers: dict[str, str], body: bytes) -> tuple[Script, dict[str, Any]]:
        script, request = super().take(wire, headers, body)
        return self._script(script, request), request

    def _script(self, script: Script, request: Mapping[str, Any]) -> Script:
        texts = [str(message["content"]) for message in request["messages"]]
        if texts[0] == SUMMARY_INSTRUCTIONS:
            words = GOAL if any(GOAL in text for text in texts) else "The goal is lost."
            return Script(text=words, window=WINDOW)
        if texts[-1].startswith("Start the pump"):
            pump = {"command": "sleep 600", "background": True}
            calls = [{"name": "terminal", "arguments": pump}, {"name": "todo", "arguments": {"items": [PLAN]}}]
            return Script(calls=calls, window=WINDOW)
        if texts[-1].startswith("Read on"):
            self.pieces += 1
            piece = {"path": "pump.log", "offset": (self.pieces - 1) * _PIECE + 1, "limit": _PIECE}
            return Script(calls=[{"name": "read_file", "arguments": piece}], window=WINDOW)
        return Script(text=f"I have read {self.pieces} pieces.", window=WINDOW)


async def say(running: Running, session_id: str, text: str) -> Event:
    """Return the last event of the turn."""
    message = Submission(session_id, text, Door("web", True), ADDRESS, dedupe_key=text[:100], model=MODEL)
    receipt = await running.engine.submit(message)
    async with aclosing(running.engine.subscribe_turn(session_id, receipt.turn_id)) as pages:
        seen = [item async for page in pages for item in page]
    assert isinstance(seen[-1], Event)
    return seen[-1]


async def outcome_of(running: Running, session_id: str) -> tuple[list[TurnStatus], list[Summary]]:
    async def body(tx: Transaction) -> tuple[list[TurnStatus], list[Summary]]:
        session = await tx.sessions.get(session_id)
        assert session is not None
        assert session.head is not None
        entries = await tx.journal.of_chain(session.head)
        statuses = [turn.status for turn in await tx.turns.recent(session_id, 1_000)]
        return statuses, [summary_of(entry) for entry in entries if entry.kind is EntryKind.SUMMARY]

    return await running.store.read(body)


@asynccontextmanager
async def running_with(model: Endpoint, folder: Path) -> AsyncIterator[tuple[Running, str]]:
    """Run an engine whose model is this endpoint, with a session that has a long log in its workspace."""
    workspace = folder / "workspace"
    workspace.mkdir()
    (workspace / "pump.log").write_text("\n".join(f"{number} the pump runs {'.' * 80}" for number in range(LINES)))
    environment = {"WAKEFUL_HOME": str(folder / "home"), "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none"}
    environment |= {"WAKEFUL_MODEL": MODEL, "WAKEFUL_TITLES": "words"}
    async with running_engine(load_config(environment), adopts=True) as running:
        made = await running.engine.create_session("operator", ADDRESS, MODEL, str(workspace))
        yield running, made.id


@pytest.mark.timeout(600)
async def test_a_session_reads_a_long_log_in_a_small_window(tmp_path: Path, soak: bool) -> None:
    turns = 200 if soak else 12
    async with ReadingModel() as model, running_with(model, tmp_path) as (running, session_id):
        await say(running, session_id, f"{GOAL} Begin with nothing yet.")
        await say(running, session_id, "Start the pump.")
        for number in range(turns):
            await say(running, session_id, f"Read on, number {number}.")
        statuses, summaries = await outcome_of(running, session_id)
        [task] = await running.store.read(lambda tx: tx.tasks.running_in(session_id))
        window = running.facts.window_of(MODEL)
        await running.keeper.kill(task.id)

    assert (set(statuses), len(statuses), window) == ({TurnStatus.DONE}, turns + 2, WINDOW)
    assert len(summaries) >= turns // 8
    assert [summary.reason for summary in summaries[:2]] == ["overflow", "auto"]
    assert all(task.id in summary.text and PLAN["text"] in summary.text for summary in summaries)
    assert all(GOAL in orjson.dumps(body).decode() for body in model.bodies)


async def test_a_message_that_alone_is_too_long_fails_and_the_session_takes_the_next_one(tmp_path: Path) -> None:
    async with ReadingModel() as model, running_with(model, tmp_path) as (running, session_id):
        end = await say(running, session_id, f"{GOAL} {'Read all of this. ' * 4_000}")
        after = await say(running, session_id, "What did I want?")
        statuses, summaries = await outcome_of(running, session_id)

    assert (end.kind, end.data["code"]) == ("failed", "context_overflow")
    assert end.data["message"].startswith("The last message alone has about 24,")
    assert (after.kind, statuses) == ("done", [TurnStatus.DONE, TurnStatus.FAILED])
    assert GOAL in summaries[0].words
