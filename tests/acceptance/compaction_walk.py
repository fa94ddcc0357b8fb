"""A walk through two compactions: one in the middle of a turn that reads a long log, and one that the user wants."""

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import orjson

from tests.acceptance.ledger import Fate, Ledger
from tests.acceptance.walks import DyingStore, walk_cases
from tests.bare_engine import bare_engine
from tests.open_gate import OPEN_GATE
from tests.short_results import SHORT_RESULTS
from wakeful.agent.loop import Loop
from wakeful.agent.models.window import LearntWindows
from wakeful.agent.prompt import SUMMARY_INSTRUCTIONS
from wakeful.agent.providers.base import AnswerPart, AnswerText, Finished, ModelRequest
from wakeful.agent.settings import AgentSettings
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.compacting import compaction_of
from wakeful.engine.inbox.submission import Submission
from wakeful.engine.settings import EngineSettings
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door
from wakeful.store.base import Transaction
from wakeful.tools.base import OnlyReads, ToolContext, ToolResult, ToolSpec

SESSION = "ses_a"
# A death that is not at a commit.
DEATH_IN_SUMMARY = "in a summary"
PARTS = 6

_DOOR, _ADDRESS = Door("web", async_delivery=True), Address("web")
_PART = re.compile(r"part (\d+)")
_WINDOW = 4_000


class ReadTool(OnlyReads):
    spec = ToolSpec("read", "Reads a part of the log.", {"type": "object"})

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult(f"part {arguments['part']}: {'x' * 3_000}")


class ReadingModel:
    """Reads the log part by part. What it knows of it, and how far it is, it knows from its context alone."""

    def __init__(self, ledger: Ledger, fate: Fate) -> None:
        self._ledger = ledger
        self._fate = fate

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        texts = [message.text for message in request.messages]
        last = max((int(part) for text in texts for part in _PART.findall(text)), default=0)
        if request.instructions == SUMMARY_INSTRUCTIONS:
            if "The summary of what came before" in texts[0]:
                # It is in the middle of one that is made in parts.
                self._fate.meet(DEATH_IN_SUMMARY)
            else:
                self._ledger.add("summaries", str(len(self._ledger.lines("commits"))))
            answer = AssistantMessage(f"The log was read up to part {last}.")
        else:
            self._ledger.add("requests", orjson.dumps(texts).decode())
            calls = (ToolCall("", "read", orjson.dumps({"part": last + 1}).decode()),) if last < PARTS else ()
            answer = AssistantMessage("I read on." if calls else "It is all read.", calls=calls)
        yield AnswerText(answer.text)
        yield Finished(answer, Usage(sum(map(len, texts)) // 4, 5))

    async def close(self) -> None: ...


async def walk(store: DyingStore, ledger: Ledger, fate: Fate) -> None:
    model = ReadingModel(ledger, fate)
    windows = LearntWindows()
    windows.learn_window("m", _WINDOW)
    loop = Loop(lambda name: (model, name), [ReadTool()], OPEN_GATE, AgentSettings(), SHORT_RESULTS, windows=windows)
    engine = bare_engine(store, loop, SystemClock(), EngineSettings(lease_seconds=0.1, resume_limit=100))
    session = Session(SESSION, "owner", _ADDRESS, "m")

    async def create(tx: Transaction) -> None:
        await tx.sessions.create_if_absent(session)

    await store.write(create, lock=[SESSION])
    await engine.start()
    await _finish(engine, _message("Read the whole log."))
    await _finish(engine, replace(compaction_of(session, _DOOR, "m", "the parts"), dedupe_key="compaction"))
    await _finish(engine, _message("Is it read?"))
    await engine.stop()


def _message(text: str) -> Submission:
    return Submission(SESSION, text, _DOOR, _ADDRESS, dedupe_key=text, model="m")


async def _finish(engine: Engine, submission: Submission) -> None:
    """Submit it, unless a process before this one has, and wait for the end of its turn."""
    receipt = await engine.submit(submission)
    async with aclosing(engine.subscribe_turn(receipt.session_id, receipt.turn_id)) as pages:
        async for _ in pages:
            pass


if __name__ == "__main__":
    walk_cases(walk)
