"""The walk: an engine that goes through messages, tools and wake-ups, and is killed at chosen commits.

Started again with the same case, it continues until everything is settled. walks.py says how it is run.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson

from tests.acceptance.ledger import Fate, Ledger
from tests.acceptance.walks import DyingStore, walk_cases
from tests.bare_engine import bare_engine
from tests.open_gate import OPEN_GATE
from tests.short_results import SHORT_RESULTS
from wakeful.agent.loop import Loop
from wakeful.agent.providers.base import AnswerPart, AnswerText, Finished, ModelRequest, Provider
from wakeful.agent.settings import AgentSettings
from wakeful.engine.clock import SystemClock
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.settings import EngineSettings
from wakeful.errors import ModelError
from wakeful.model.event import Event, StreamItem
from wakeful.model.inbox import IfBusy
from wakeful.model.journal.fact import Brief, Fact
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, ToolMessage, Usage, UserMessage
from wakeful.model.session import Address, Session
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskOutcome, TaskStatus
from wakeful.model.turn import Door, Lease, Turn
from wakeful.model.words import Position, Word
from wakeful.store.base import Transaction
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec

T = TypeVar("T")

SESSIONS = ("ses_a", "ses_b")
# Name, session, and what it does when that is busy: the second waits for the first, the aside joins one of them.
MESSAGES = (
    ("first", "ses_a", IfBusy.QUEUE),
    ("second", "ses_a", IfBusy.QUEUE),
    ("aside", "ses_a", IfBusy.STEER),
    ("third", "ses_b", IfBusy.QUEUE),
)
# The task that a message's turn begins. The end of one is shown by a tool, that of another finds its turn running,
# and the last one ends after its turn and wakes the session.
TASKS = {"first": "task_shown", "second": "task_joins", "third": "task_wakes"}
# The models of the sessions. That of the second breaks off each time, and the other one takes over.
MODEL, BROKEN_MODEL = "m", "broken"
MODELS = {"ses_a": MODEL, "ses_b": BROKEN_MODEL}
# Deaths that are not at a commit.
DEATH_IN_ANSWER = "in the middle of the second's answer"
DEATH_IN_TOOL = "in a tool of the wake-up"

_DOOR = Door("web", async_delivery=True)
_ADDRESS = Address("web")
_SETTINGS = EngineSettings(lease_seconds=0.1, resume_limit=100)
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class LoggingTool:
    """A tool that adds a line to the ledger each time it runs."""

    name: str
    is_harmless: bool
    ledger: Ledger
    fate: Fate
    consumes: tuple[str, ...] = ()

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, "Leaves a line.", {"type": "object"})

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent:
        return Intent()

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        return self.is_harmless

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.ledger.add(self.name, f"{context.turn.id} {context.step} {context.index}")
        if arguments.get("dies"):
            self.fate.meet(DEATH_IN_TOOL)
        return ToolResult(f"{self.name} is done", self.consumes)


class Sight:
    """The words that the followers have seen."""

    def __init__(self) -> None:
        self._awaited: dict[str, asyncio.Future[None]] = {}

    def of(self, word: str) -> asyncio.Future[None]:
        """Return a future that is done when a follower has seen this word and added it to the ledger."""
        seen = self._awaited[word] = asyncio.get_running_loop().create_future()
        return seen

    def has(self, word: str) -> None:
        if (awaited := self._awaited.pop(word, None)) is not None:
            awaited.set_result(None)


class ScriptedModel:
    """A model that calls both tools at once, then repeats all inputs of the turn."""

    def __init__(self, sight: Sight, fate: Fate) -> None:
        self._sight = sight
        self._fate = fate

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        inputs = _inputs_of_this_turn(request.messages)
        about = inputs[0].text
        if any(isinstance(message, ToolMessage) for message in inputs):
            words = _halves([f"{about}: {message.text}|" for message in inputs])
            calls: tuple[ToolCall, ...] = ()
        else:
            words = [f"{about}: let me see"]
            note = orjson.dumps({"dies": about.startswith(TASKS["third"])}).decode()
            calls = (ToolCall("", "note", note), ToolCall("", "peek", ""))
        for position, word in enumerate(words):
            if about == "second" and not calls and position == 1:
                self._fate.meet(DEATH_IN_ANSWER)
            seen = self._sight.of(word)
            yield AnswerText(word)
            # Each word is seen before the next one, so that every walk is the same.
            await seen
        yield Finished(AssistantMessage("".join(words), calls=calls), Usage(output_tokens=len(words)))

    async def close(self) -> None: ...


class BrokenModel:
    """A model that breaks off after its first word."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        word = f"{_inputs_of_this_turn(request.messages)[0].text}: one moment"
        seen = self._sight.of(word)
        yield AnswerText(word)
        await seen
        raise ModelError("The model broke off.", code="model_stream_broken")

    async def close(self) -> None: ...


def _cost_of(model: str, usage: Usage) -> float:
    """Return a dollar for each token: sums of whole numbers are exact."""
    return float(usage.output_tokens)


def _halves(words: list[str]) -> list[str]:
    middle = len(words) // 2
    return ["".join(words[:middle]), "".join(words[middle:])]


def _inputs_of_this_turn(messages: Sequence[Message]) -> list[UserMessage | ToolMessage]:
    inputs: list[UserMessage | ToolMessage] = []
    for message in messages:
        if isinstance(message, UserMessage | ToolMessage):
            inputs.append(message)
        elif isinstance(message, AssistantMessage) and not message.calls:
            inputs.clear()
    return inputs


class Walk:
    def __init__(self, store: DyingStore, ledger: Ledger, fate: Fate) -> None:
        self._store = store
        self._ledger = ledger
        self._fate = fate
        tools = [
            LoggingTool("note", False, ledger, fate),
            LoggingTool("peek", True, ledger, fate, consumes=(TASKS["first"],)),
        ]
        self._sight = Sight()
        models: dict[str, Provider] = {MODEL: ScriptedModel(self._sight, fate), BROKEN_MODEL: BrokenModel(self._sight)}
        settings = AgentSettings(fallback_models=(MODEL,))
        self._loop = Loop(
            lambda name: (models[name], name), tools, OPEN_GATE, settings, SHORT_RESULTS, cost_of=_cost_of
        )
        self._engine = bare_engine(store, self, SystemClock(), _SETTINGS)
        self._names: dict[str, str] = {}
        self._all_submitted = asyncio.Event()
        self._seen = {session_id: _place_in(ledger, session_id) for session_id in SESSIONS}
        self._saw_something = asyncio.Event()

    async def to_the_end(self) -> None:
        await self._store.write(_create_sessions, lock=SESSIONS)
        await self._engine.start()
        followers = [asyncio.create_task(self._follow(session_id)) for session_id in SESSIONS]
        receipts = [await self._submit(*message) for message in MESSAGES]
        self._all_submitted.set()
        for receipt in receipts:
            await self._until_answered(receipt)
        await self._engine.tasks.finish(TASKS["third"], _outcome(TASKS["third"]))
        await self._until_settled()
        for follower in followers:
            follower.cancel()
        await asyncio.gather(*followers, return_exceptions=True)
        await self._engine.stop()

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        """Run the agent loop, after the turn has begun its task and every message is in the inbox."""
        await self._all_submitted.wait()
        await self._begin_task(brief.turn)
        async with aclosing(self._loop.run(brief)) as facts:
            async for fact in facts:
                yield fact

    async def _begin_task(self, turn: Turn) -> None:
        task_id = TASKS.get(self._names.get(turn.id, ""))
        if task_id is None:
            return
        lease = Lease(turn.id, turn.session_id, self._engine.node, turn.epoch)
        await self._engine.tasks.begin(lease, _task(task_id, turn))
        if task_id != TASKS["third"]:
            await self._engine.tasks.finish(task_id, _outcome(task_id))

    async def _submit(self, name: str, session_id: str, if_busy: IfBusy) -> Receipt:
        model = MODELS[session_id]
        submission = Submission(session_id, name, _DOOR, _ADDRESS, dedupe_key=name, model=model, if_busy=if_busy)
        receipt = await self._engine.submit(submission)
        self._ledger.add("receipts", f"{name} {receipt.turn_id}")
        self._names[receipt.turn_id] = name
        return receipt

    async def _follow(self, session_id: str) -> None:
        async with aclosing(self._engine.subscribe(session_id, self._seen[session_id])) as pages:
            async for page in pages:
                for item in page:
                    self._see(session_id, item)
                    self._saw_something.set()

    def _see(self, session_id: str, item: StreamItem) -> None:
        """Add what was seen to the ledger, where the next process finds it."""
        position = self._seen[session_id]
        if isinstance(item, Word):
            position = Position(position.fact, item.head.base, item.number)
            line = [item.head.turn_id, item.head.step, item.head.base, item.number, item.text]
            self._ledger.add(f"words.{session_id}", orjson.dumps(line).decode())
            self._seen[session_id] = position
            self._fate.meet(f"at the word {session_id} {len(self._ledger.lines(f'words.{session_id}'))}")
            self._sight.has(item.text)
        else:
            self._ledger.add(f"seen.{session_id}", line_of(item))
            self._fate.meet(f"at the sight of {session_id} {item.session_seq}")
            self._seen[session_id] = Position(item.session_seq, position.base, position.word)

    async def _until_answered(self, receipt: Receipt) -> None:
        async with aclosing(self._engine.subscribe_turn(receipt.session_id, receipt.turn_id)) as pages:
            async for _ in pages:
                pass

    async def _until_settled(self) -> None:
        while not await self._store.read(self._is_settled):
            await self._saw_something.wait()
            self._saw_something.clear()

    async def _is_settled(self, tx: Transaction) -> bool:
        """Return whether nothing runs, nothing waits, and the followers have seen everything."""
        for session_id in SESSIONS:
            session = await tx.sessions.get(session_id)
            assert session is not None
            is_behind = self._seen[session_id].fact < session.last_seq
            if is_behind or session.active is not None or await tx.inbox.pending(session_id):
                return False
        return True


def _place_in(ledger: Ledger, session_id: str) -> Position:
    """Return the position of the follower in the last process."""
    words = ledger.lines(f"words.{session_id}")
    _, _, base, number, _ = orjson.loads(words[-1]) if words else ("", 0, 0, 0, "")
    return Position(len(ledger.lines(f"seen.{session_id}")), base, number)


def line_of(event: Event) -> str:
    fields = [event.session_seq, event.turn_id, event.turn_seq, event.kind, event.payload.decode()]
    return orjson.dumps(fields).decode()


async def _create_sessions(tx: Transaction) -> None:
    for session_id in SESSIONS:
        await tx.sessions.create_if_absent(Session(session_id, "owner", _ADDRESS, MODELS[session_id]))


def _task(task_id: str, turn: Turn) -> Task:
    return Task(
        id=task_id,
        kind=TaskKind.PROCESS,
        session_id=turn.session_id,
        owner="owner",
        turn_id=turn.id,
        step=1,
        index=1,
        host=Host("host", "boot"),
        command="true",
        door=turn.door,
        address=turn.address,
        model=turn.model,
        will_notify=True,
    )


def _outcome(task_id: str) -> TaskOutcome:
    return TaskOutcome(TaskStatus.EXITED, 0, f"{task_id} has ended")


async def walk(store: DyingStore, ledger: Ledger, fate: Fate) -> None:
    await Walk(store, ledger, fate).to_the_end()


if __name__ == "__main__":
    walk_cases(walk)
