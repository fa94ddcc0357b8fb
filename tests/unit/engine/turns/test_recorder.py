"""What a recorder writes of a turn, how it reserves words, and how many of them it shows."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from tests.engine.kit import FakeClock
from tests.patience import PATIENCE, idle
from tests.store.nouns import a_row, a_turn, have_row, have_turn
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.settings import EngineSettings
from wakeful.engine.turns import recorder as recorders
from wakeful.engine.turns.recorder import Recorder
from wakeful.engine.words.words import LiveWords
from wakeful.errors import LeaseLost, LimitReached
from wakeful.model.event import Event
from wakeful.model.inbox import RowKind
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.model.journal.fact import (
    Answered,
    CallFinished,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    ModelChanged,
    ReasoningDelta,
    StepAbandoned,
    TextDelta,
    Wasted,
)
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.model.session import Session
from wakeful.model.spend import Spend
from wakeful.model.turn import Turn
from wakeful.model.words import WordsHead
from wakeful.store.base import Store

CALL = ToolCall("call_1", "work", "{}")
FINISHED = CallFinished(1, 1, CALL, "worked", 0.5, consumes=("k1",))
SUMMARY = Summary("words", "", (), (), (), CompactionReason.AUTO, 900, 40, "demo:model", Usage(700, 30), 0.25)
CHANGED = ModelChanged(1, "demo:a", "demo:b", "model_unavailable", "down")


class StillStore:
    """A store whose writes end only when they are cancelled."""

    def __init__(self) -> None:
        self.writing = asyncio.Event()
        self.is_cancelled = False

    async def write(self, body: object, *, lock: object = ()) -> None:
        self.writing.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise


class ReservingStore:
    """A store that keeps nothing but how many words were reserved."""

    def __init__(self) -> None:
        self.turns = self
        self.reserved: list[int] = []

    async def write(self, body: Callable[[Any], Awaitable[None]], *, lock: object = ()) -> None:
        await body(self)

    async def reserve(self, lease: object, pieces: int) -> None:
        self.reserved.append(pieces)


def a_recorder(store: Any, live: LiveWords | None = None, **changes: Any) -> Recorder:
    words = live or LiveWords(FakeClock())
    turn = a_turn(**({"reserved": 1000, "last_seq": 2} | changes))
    return Recorder(store, Dispatcher("node1", EngineSettings(), words), words, Assignment(turn, 7))


async def in_store(store: Store, live: LiveWords | None = None) -> Recorder:
    """Return the recorder of a turn that was resumed once."""
    await have_turn(store, epoch=1)
    await store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node1"), lock=["s1"])
    return a_recorder(store, live, epoch=2)


async def log_of(store: Store) -> list[Event]:
    return await store.read(lambda tx: tx.events.of_session("s1", 0, 100))


async def journal_of(store: Store) -> list[Entry]:
    return await store.read(lambda tx: tx.journal.of_turns(["t1"]))


async def turn_of(store: Store) -> Turn:
    turn = await store.read(lambda tx: tx.turns.get("t1"))
    assert turn is not None
    return turn


async def session_of(store: Store) -> Session:
    session = await store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None
    return session


def answered(text: str = "Hello", reasoning: str = "", **changes: Any) -> Answered:
    fact = Answered(1, AssistantMessage(text, reasoning), Usage(10, 5), cost_usd=0.5)
    return replace(fact, **changes)


async def say(recorder: Recorder, *texts: str) -> None:
    for text in texts:
        await recorder.say(TextDelta(1, text))


async def test_words_are_shown_after_the_last_fact_of_their_turn() -> None:
    live = LiveWords(FakeClock())
    recorder = a_recorder(StillStore(), live)

    await recorder.say(ReasoningDelta(1, "hm"))
    await say(recorder, "Hel", "lo")

    words = live.of("s1")
    assert words is not None
    assert (words.head, words.turn_base) == (WordsHead("s1", "t1", 1, 7), 2)
    assert [(word.kind, word.text) for word in words.after(0, 9)] == [
        ("reasoning", "hm"),
        ("token", "Hel"),
        ("token", "lo"),
    ]


async def test_no_word_is_shown_while_a_write_may_close_the_turn() -> None:
    live = LiveWords(FakeClock())
    recorder = a_recorder(StillStore(), live)

    with live.sealed(["s1"]):
        saying = asyncio.create_task(say(recorder, "Hello"))
        await idle()
        assert live.of("s1") is None
    await saying

    assert live.of("s1") is not None


async def test_a_recorder_that_is_closed_leaves_no_write_behind() -> None:
    store = StillStore()
    recorder = a_recorder(store, reserved=2)
    await say(recorder, "word ", "word ")
    await asyncio.wait_for(store.writing.wait(), PATIENCE)

    recorder.close()
    await asyncio.sleep(0)

    assert store.is_cancelled


def test_a_recorder_without_a_reservation_is_closed() -> None:
    a_recorder(StillStore()).close()


async def test_an_answer_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorders, "_MOST_LETTERS", 10)
    live = LiveWords(FakeClock())
    recorder = a_recorder(StillStore(), live)
    await say(recorder, "ten letter", "ten letter")

    with pytest.raises(LimitReached, match="more than 10 letters"):
        await say(recorder, "more")

    words = live.of("s1")
    assert words is not None
    assert words.count == 2


@pytest.mark.parametrize(("shown", "is_writing"), [(2, False), (3, True)])
async def test_more_words_are_reserved_when_half_of_them_are_used(shown: int, is_writing: bool) -> None:
    store = StillStore()
    recorder = a_recorder(store, reserved=4)

    await say(recorder, *["word"] * shown)
    await idle()

    assert store.writing.is_set() is is_writing
    recorder.close()


async def test_words_wait_only_when_all_that_are_reserved_are_used() -> None:
    live = LiveWords(FakeClock())
    recorder = a_recorder(StillStore(), live, reserved=4)

    saying = asyncio.create_task(say(recorder, *["word"] * 5))
    await idle()

    words = live.of("s1")
    assert words is not None
    assert (words.count, saying.done()) == (4, False)
    saying.cancel()
    await asyncio.gather(saying, return_exceptions=True)


async def test_twice_as_many_words_are_reserved_each_time() -> None:
    store = ReservingStore()
    recorder = a_recorder(store, reserved=2)

    await say(recorder, *["word"] * 17)

    assert store.reserved[:4] == [4, 8, 16, 32]
    recorder.close()


async def test_words_that_are_taken_back_are_kept_with_the_event_and_new_ones_follow_it(store: Store) -> None:
    live = LiveWords(FakeClock())
    recorder = await in_store(store, live)
    await say(recorder, "Hel", "lo")

    await recorder.abandon(StepAbandoned(1))

    (event,) = await log_of(store)
    assert event.kind == "step_abandoned"
    assert event.ends is not None
    assert event.ends.said is not None
    assert (event.ends.base, event.ends.count, event.ends.said.text) == (7, 2, "Hello")
    assert (await turn_of(store)).resumes == 1
    await say(recorder, "Again")
    words = live.of("s1")
    assert words is not None
    assert (words.head.base, words.turn_base, words.count) == (event.session_seq, event.turn_seq, 1)


async def test_where_nothing_was_said_nothing_is_taken_back(store: Store) -> None:
    recorder = await in_store(store)

    await recorder.abandon(StepAbandoned(1))

    assert await log_of(store) == []


async def test_another_model_is_no_step_of_the_turn(store: Store) -> None:
    live = LiveWords(FakeClock())
    recorder = await in_store(store, live)

    await recorder.change_model(CHANGED)
    await say(recorder, "Hello")

    (event,) = await log_of(store)
    words = live.of("s1")
    assert (event.kind, event.turn_id, event.data) == ("model_changed", "t1", CHANGED.fields)
    assert (await turn_of(store)).resumes == 1
    assert words is not None
    assert words.head.base == event.session_seq


@pytest.mark.parametrize(("client_calls", "is_last"), [(frozenset(), False), (frozenset({1}), True)])
async def test_an_answer_that_leaves_the_server_no_call_is_written_with_the_end(
    store: Store, client_calls: frozenset[int], is_last: bool
) -> None:
    recorder = await in_store(store)

    await recorder.answer(answered(message=AssistantMessage("Hello", calls=(CALL,)), client_calls=client_calls))

    assert (recorder.last is not None) is is_last
    assert [event.kind for event in await log_of(store)] == ([] if is_last else ["tool", "usage"])
    session = await session_of(store)
    assert (session.cost_usd, session.context_tokens) == ((0.0, 0) if is_last else (0.5, 10))


async def test_an_answer_without_calls_is_the_last(store: Store) -> None:
    recorder = await in_store(store)

    await recorder.answer(answered())

    assert recorder.last is not None
    assert recorder.last.cost == Spend(10, 5, 0.5)
    assert [fact.kind for fact in recorder.last.facts] == ["usage"]


@pytest.mark.parametrize(
    ("text", "reasoning", "is_said_again"), [("Hello", "hm", False), ("Other", "hm", True), ("Hello", "", True)]
)
async def test_words_are_kept_beside_the_answer_only_if_they_differ(
    text: str, reasoning: str, is_said_again: bool
) -> None:
    recorder = a_recorder(StillStore())
    await recorder.say(ReasoningDelta(1, "hm"))
    await say(recorder, "Hel", "lo")

    await recorder.answer(answered(text, reasoning))

    assert recorder.last is not None
    ends = recorder.last.facts[0].ends
    assert ends is not None
    assert (ends.step, ends.base, ends.count) == (1, 7, 3)
    assert (ends.said is not None) is is_said_again
    assert (recorder.last.entries[0].cuts is None) is is_said_again


async def test_an_answer_without_words_ends_none() -> None:
    recorder = a_recorder(StillStore())

    await recorder.answer(answered())

    assert recorder.last is not None
    assert (recorder.last.facts[0].ends, recorder.last.entries[0].cuts) == (None, None)


async def test_an_answer_that_was_thrown_away_costs_all_the_same(store: Store) -> None:
    recorder = await in_store(store)

    await recorder.waste(Wasted(1, Spend(10, 5, 0.5)))

    session = await session_of(store)
    assert (session.cost_usd, session.context_tokens) == (0.5, 0)
    assert await log_of(store) == []


async def test_a_result_is_recorded_and_the_notices_that_it_tells_of_are_withdrawn(store: Store) -> None:
    recorder = await in_store(store)
    for key in ("task:k1", "task:k2"):
        await have_row(store, a_row(key, kind=RowKind.NOTICE))

    await recorder.result(replace(FINISHED, is_error=True, images=("picture",)))

    (entry,) = await journal_of(store)
    assert (entry.kind, entry.step, entry.index) == (EntryKind.RESULT, 1, 1)
    assert (entry.data["call_id"], entry.data["text"], entry.data["seconds"]) == ("call_1", "worked", 0.5)
    assert (entry.data["is_error"], entry.data["images"]) == (True, ["picture"])
    assert [event.kind for event in await log_of(store)] == ["tool_complete"]
    assert (await turn_of(store)).resumes == 0
    assert [row.dedupe_key for row in await store.read(lambda tx: tx.inbox.pending("s1"))] == ["task:k2"]


@pytest.mark.parametrize(
    ("fact", "kind"),
    [
        (CompactionStarted(1, CompactionReason.AUTO, 900), "compaction_started"),
        (CompactionFailed(1, CompactionReason.AUTO, 900, "too long"), "compaction_failed"),
    ],
)
async def test_a_summary_that_is_only_announced_is_no_step(
    store: Store, fact: CompactionStarted | CompactionFailed, kind: str
) -> None:
    recorder = await in_store(store)

    await recorder.compaction(fact)

    assert [event.kind for event in await log_of(store)] == [kind]
    assert (await journal_of(store), (await turn_of(store)).resumes) == ([], 1)


async def test_a_summary_is_a_step_and_says_how_long_the_context_is_now(store: Store) -> None:
    recorder = await in_store(store)

    await recorder.summary(Compacted(1, SUMMARY))

    (entry,) = await journal_of(store)
    session, turn = await session_of(store), await turn_of(store)
    assert entry.kind is EntryKind.SUMMARY
    assert [event.kind for event in await log_of(store)] == ["compaction_done"]
    assert (session.cost_usd, session.input_tokens, session.context_tokens) == (0.25, 700, 40)
    assert (turn.resumes, turn.context_turn) == (0, SUMMARY.context_turn("t1"))


async def test_what_joins_the_turn_comes_before_the_words_that_follow(store: Store) -> None:
    live = LiveWords(FakeClock())
    recorder = await in_store(store, live)
    assert await recorder.join(1, 2) == []
    await say(recorder, "Hello")
    await have_row(store, a_row("m1", steers=True, payload=orjson.dumps({"text": "stop"})))

    (entry,) = await recorder.join(1, 2)
    await say(recorder, "Again")

    words = live.of("s1")
    assert words is not None
    assert (entry.id, entry.data["text"]) == ("t1.1.2", "stop")
    assert (words.head.base, words.count) == ((await log_of(store))[0].session_seq, 1)


@pytest.mark.parametrize(
    "act",
    [
        lambda recorder: recorder.change_model(CHANGED),
        lambda recorder: recorder.waste(Wasted(1, Spend(usd=1.0))),
        lambda recorder: recorder.result(FINISHED),
        lambda recorder: recorder.join(1, 2),
        lambda recorder: recorder.summary(Compacted(1, SUMMARY)),
    ],
)
async def test_a_node_that_has_lost_the_turn_writes_nothing(
    store: Store, act: Callable[[Recorder], Awaitable[object]]
) -> None:
    await in_store(store)
    await have_row(store, a_row("m1", steers=True))

    with pytest.raises(LeaseLost):
        await act(a_recorder(store, epoch=1))

    assert (await log_of(store), await journal_of(store), (await session_of(store)).cost_usd) == ([], [], 0.0)


async def test_words_follow_the_last_of_the_facts_of_an_answer(store: Store) -> None:
    live = LiveWords(FakeClock())
    recorder = await in_store(store, live)

    await recorder.answer(answered(message=AssistantMessage("Hello", calls=(CALL,))))
    await say(recorder, "Again")

    words = live.of("s1")
    assert words is not None
    assert (words.head.base, words.turn_base) == ((await log_of(store))[-1].session_seq, 2)
