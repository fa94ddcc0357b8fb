"""Writes a session with days of work as the rows that the engine would write, without a model."""

import time
from dataclasses import replace
from pathlib import Path

import orjson

from wakeful.config.values import OPERATOR
from wakeful.engine import turn_events
from wakeful.model.event import MESSAGE, NewEvent
from wakeful.model.ids import new_id
from wakeful.model.journal.entry import answer_entry, input_entry, result_entry
from wakeful.model.journal.fact import Answered, CallFinished
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.opening import Closing, Opening
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door, Outcome, Turn, TurnStatus
from wakeful.model.words import WordsEnd, pack_cuts
from wakeful.store.base import Transaction
from wakeful.store.sqlite.store import SqliteStore

# Each turn has five messages: a question, text before two calls, the calls, an answer.
TURNS = 400
MESSAGES = 5 * TURNS
# Characters in the result of most calls, and of the last, which is longer than the server sends at once.
_RESULT, HUGE_RESULT = 6_200, 200_000
_SECONDS_OF_TURN = 900.0
_MODEL = "openai:m"
_ANSWER = """Part {number} is done.

The run took **{number} s**. Two things to know:

- `parse_{number}()` reads the file once and keeps what it needs
- the slow path is gone; see [the notes](https://example.org/notes/{number})

```python
def parse_{number}(path: str) -> list[str]:
    return [line.strip() for line in open(path) if line]
```
"""


async def write_long_session(home: Path) -> str:
    """Write the session into the database of this home and return its id."""
    home.mkdir(parents=True, exist_ok=True)
    began = time.time() - TURNS * _SECONDS_OF_TURN
    writer = _Writer(began)
    store = SqliteStore(home / "wakeful.db", lambda: writer.now)
    await store.open()
    try:
        await store.write(writer.write, lock=[writer.session_id])
    finally:
        await store.close()
    return writer.session_id


class _Writer:
    """Writes everything in one transaction, which waits for the disk only once."""

    def __init__(self, began: float) -> None:
        self.now = began
        self.session_id = new_id("ses")
        self._head: str | None = None
        self._last_fact = 0

    async def write(self, tx: Transaction) -> None:
        here = Address("web")
        title = "A long session"
        session = Session(
            self.session_id, OPERATOR, here, _MODEL, title=title, created_at=self.now, updated_at=self.now
        )
        await tx.sessions.create_if_absent(session)
        for number in range(1, TURNS + 1):
            turn = Turn(
                id=new_id("turn"),
                session_id=self.session_id,
                parent=self._head,
                door=Door("web", async_delivery=True),
                address=here,
                source="user",
                is_wakeup=False,
                model=_MODEL,
                status=TurnStatus.RUNNING,
                node="long",
                epoch=1,
                opened_at=self.now,
            )
            await self._open(tx, turn, f"Check part {number}.")
            await self._work(tx, turn, number)
            await self._close(tx, turn)
            self._head = turn.id
            self.now += _SECONDS_OF_TURN / 2

    async def _open(self, tx: Transaction, turn: Turn, words: str) -> None:
        said = input_entry(turn.id, 0, 0, {"source": "user", "message_id": "", "text": words})
        message = {"message_id": said.id, "source": "user", "content": words, "client_message_id": ""}
        facts = (turn_events.started(turn), NewEvent.of(MESSAGE, message))
        opening = Opening(replace(turn, last_seq=len(facts)), entries=(said,), facts=facts, releases_hold=True)
        self._last_fact = (await tx.open(opening)).events[-1].session_seq

    async def _work(self, tx: Transaction, turn: Turn, number: int) -> None:
        calls = tuple(_call(number, index) for index in (1, 2))
        await self._answer(tx, turn, 1, AssistantMessage(f"I run part {number}.", calls=calls))
        for index, call in enumerate(calls, start=1):
            self.now += _SECONDS_OF_TURN / 4
            done = CallFinished(1, index, call, _result(number, index), _SECONDS_OF_TURN / 4)
            entry = result_entry(turn.id, 1, index, call_id=call.id, text=done.text, seconds=done.seconds)
            await tx.journal.add([entry])
            await self._append(tx, turn, turn_events.call_finished(done))
        await self._answer(tx, turn, 2, AssistantMessage(_ANSWER.format(number=number)))

    async def _answer(self, tx: Transaction, turn: Turn, step: int, message: AssistantMessage) -> None:
        cost = Usage(1_000, 50)
        fact = Answered(step, message, cost)
        await tx.journal.add([answer_entry(turn.id, fact, pack_cuts([len(message.text)]))])
        await self._append(tx, turn, *turn_events.answered(fact, WordsEnd(step, self._last_fact, count=1)))
        await tx.turns.mark_recorded(turn.id)
        await tx.spending.add(turn.session_id, fact.spend, context_tokens=cost.input_tokens)

    async def _close(self, tx: Transaction, turn: Turn) -> None:
        outcome = Outcome(TurnStatus.DONE)
        closing = Closing(turn, outcome, (turn_events.ended(turn, outcome),), checkpoint=turn.id)
        self._last_fact = (await tx.close(closing)).events[-1].session_seq

    async def _append(self, tx: Transaction, turn: Turn, *events: NewEvent) -> None:
        self._last_fact = (await tx.events.append(turn.session_id, turn.id, events))[-1].session_seq


def _call(number: int, index: int) -> ToolCall:
    command = orjson.dumps({"command": f"make part-{number}-{index}"}).decode()
    return ToolCall(f"call_{number}_{index}", "terminal", command)


def _result(number: int, index: int) -> str:
    """Return a result of the terminal tool, with colours."""
    size = HUGE_RESULT if (number, index) == (TURNS, 2) else _RESULT
    line = f"\x1b[32mok\x1b[0m step {index} of part {number}: nothing to be done\n"
    output = line * (size // len(orjson.dumps(line)) + 1)
    return orjson.dumps({"output": output, "exit_code": 0, "error": None}).decode()
