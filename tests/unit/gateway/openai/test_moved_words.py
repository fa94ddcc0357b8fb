"""Responses and runs of an older version, before and after their words have moved: to a client nothing has changed."""

from collections.abc import Sequence
from contextlib import aclosing

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.gateway.openai.kit import fold
from tests.unit.gateway.openai.logs import turn_logs
from tests.unit.gateway.openai.served import Log, Place
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
    """The answers of the steps that have one. Some models answer, in the end, a little less than they have said."""
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


async def left_behind(place: Place, kind: str, turn_log: list[Event], *, is_trimmed: bool) -> Log:
    log = await Log.begin(place, kind)
    entries = journal_of(turn_log, log.turn.id, is_trimmed=is_trimmed)

    async def body(tx: Transaction) -> None:
        await tx.journal.add(entries)
        # As in a database that has just been upgraded.
        await tx.old_words.reach("")

    await place.store.write(body)
    await log.write(turn_log)
    return log


async def move_all(place: Place) -> None:
    assert await OldWordsMover(place.store, SystemClock()).sweep() is None


async def words_left(log: Log) -> list[Event]:
    told = await log.place.store.read(lambda tx: tx.events.of_turn(log.turn.id, 0, 1000))
    return [event for event in told if spoken(event) is not None]


@seldom
@given(kind=st.sampled_from(["response", "run"]), turn_log=turn_logs(), is_trimmed=st.booleans())
def test_a_client_reads_the_same_before_and_after(
    place: Place, kind: str, turn_log: list[Event], is_trimmed: bool
) -> None:
    async def read_twice() -> None:
        log = await left_behind(place, kind, turn_log, is_trimmed=is_trimmed)
        before = await log.reader(-1).read()

        await move_all(place)

        assert [_wire(frame) for frame in await log.reader(-1).read()] == [_wire(frame) for frame in before]
        # Where all pieces have letters, none is left.
        assert not await words_left(log) or any(piece[2] == "" for e in turn_log if (piece := spoken(e)) is not None)

    place.runner.run(read_twice())


def _wire(frame: bytes) -> bytes:
    """Without the id that the events of runs have: those are places in the log."""
    return b"\n".join(line for line in frame.split(b"\n") if not line.startswith(b"id: "))


@seldom
@given(turn_log=turn_logs(), after=st.integers(0, 8))
def test_a_reader_who_is_in_the_middle_when_the_words_move_misses_and_repeats_nothing(
    place: Place, turn_log: list[Event], after: int
) -> None:
    async def read_on() -> None:
        log = await left_behind(place, "response", turn_log, is_trimmed=False)
        before = await place.api.engine.stream_so_far(log.turn.session_id, log.turn.id)
        told: list[StreamItem] = []
        pages = place.api.follow(log.turn.session_id, log.turn.id)
        async with aclosing(pages):
            async for page in pages:
                told += page
                if len(told) >= after:
                    await move_all(place)

        assert fold(told, response_of(log.turn)) == fold(before, response_of(log.turn))

    place.runner.run(read_on())
