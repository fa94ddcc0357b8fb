"""Responses and runs of an older version: clients read the same before and after their words are moved."""

from collections.abc import Sequence
from contextlib import aclosing

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.gateway.openai.kit import fold
from tests.unit.gateway.openai.logs import turn_logs
from tests.unit.gateway.openai.served import Log, ServedApi
from tests.unit.gateway.openai.test_cut_streams import seldom
from wakeful.engine.clock import SystemClock
from wakeful.engine.upkeep.old_words_mover import OldWordsMover
from wakeful.gateway.openai.responses.turn_response import response_of
from wakeful.model import event as events
from wakeful.model.event import Event, StreamItem, spoken
from wakeful.model.journal.entry import Entry, answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.store.base import Transaction

NO_USAGE = Usage(0, 0, 0, 0)


def journal_of(turn_log: Sequence[Event], turn_id: str, *, is_trimmed: bool) -> list[Entry]:
    """Return the answers of the finished steps. With `is_trimmed` they lack whitespace that was streamed."""
    said: dict[int, list[tuple[str, str]]] = {}
    answers: list[Entry] = []
    for event in turn_log:
        if (piece := spoken(event)) is not None:
            said.setdefault(piece[1], []).append((piece[0], piece[2]))
        elif event.kind == events.STEP_ABANDONED:
            said.pop(event.data["step"], None)
        elif event.kind == events.USAGE:
            step = event.data["step"]
            text, thought = (
                "".join(text for kind, text in said.get(step, ()) if kind == wanted)
                for wanted in (events.TOKEN, events.REASONING)
            )
            message = AssistantMessage(text.strip() if is_trimmed else text, thought)
            answers.append(answer_entry(turn_id, Answered(step, message, NO_USAGE, is_cut=False)))
    return answers


async def older_log(served_api: ServedApi, kind: str, turn_log: list[Event], *, is_trimmed: bool) -> Log:
    log = await Log.begin(served_api, kind)
    entries = journal_of(turn_log, log.turn.id, is_trimmed=is_trimmed)

    async def body(tx: Transaction) -> None:
        await tx.journal.add(entries)
        # As in a database that has just been upgraded.
        await tx.old_words.reach("")

    await served_api.store.write(body)
    await log.write(turn_log)
    return log


async def move_all(served_api: ServedApi) -> None:
    assert await OldWordsMover(served_api.store, SystemClock()).sweep() is None


async def words_left(log: Log) -> list[Event]:
    items = await log.served_api.store.read(lambda tx: tx.events.of_turn(log.turn.id, 0, 1000))
    return [event for event in items if spoken(event) is not None]


@seldom
@given(kind=st.sampled_from(["response", "run"]), turn_log=turn_logs(), is_trimmed=st.booleans())
def test_a_client_reads_the_same_before_and_after(
    served_api: ServedApi, kind: str, turn_log: list[Event], is_trimmed: bool
) -> None:
    async def read_twice() -> None:
        log = await older_log(served_api, kind, turn_log, is_trimmed=is_trimmed)
        before = await log.reader(-1).read()

        await move_all(served_api)

        assert [_wire(frame) for frame in await log.reader(-1).read()] == [_wire(frame) for frame in before]
        # All words are moved, unless one is empty.
        assert not await words_left(log) or any(piece[2] == "" for e in turn_log if (piece := spoken(e)) is not None)

    served_api.runner.run(read_twice())


def _wire(frame: bytes) -> bytes:
    """Return the frame without the id that events of runs have, which is a position in the log."""
    return b"\n".join(line for line in frame.split(b"\n") if not line.startswith(b"id: "))


@seldom
@given(turn_log=turn_logs(), after=st.integers(0, 8))
def test_a_reader_misses_and_repeats_nothing_while_the_words_are_moved(
    served_api: ServedApi, turn_log: list[Event], after: int
) -> None:
    async def read_on() -> None:
        log = await older_log(served_api, "response", turn_log, is_trimmed=False)
        before = await served_api.api.engine.stream_so_far(log.turn.session_id, log.turn.id)
        items: list[StreamItem] = []
        pages = served_api.api.follow(log.turn.session_id, log.turn.id)
        async with aclosing(pages):
            async for page in pages:
                items += page
                if len(items) >= after:
                    await move_all(served_api)

        assert fold(items, response_of(log.turn)) == fold(before, response_of(log.turn))

    served_api.runner.run(read_on())
