"""What the dispatcher writes when turns open, go on and end."""

import asyncio
from dataclasses import replace
from typing import Any

import orjson
import pytest

from tests.engine.kit import FakeClock, House
from tests.store.nouns import (
    a_row,
    a_session,
    a_task,
    a_turn,
    an_approval,
    an_opening,
    have_row,
    have_session,
    have_task,
    have_turn,
)
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.dispatcher import Dispatcher, assignment_of, first_assignment, last_fact, titled
from wakeful.engine.settings import EngineSettings
from wakeful.engine.words.words import LiveWords
from wakeful.errors import LeaseLost, SessionNotFound
from wakeful.model.event import Event, NewEvent
from wakeful.model.inbox import RowKind, RowStatus
from wakeful.model.journal.entry import EntryKind
from wakeful.model.opening import Opened, Step
from wakeful.model.session import Session, TitleOrigin, WakeReason
from wakeful.model.spend import Spend
from wakeful.model.turn import Lease, Outcome, Turn, TurnStatus
from wakeful.model.words import TOKEN, WordsHead
from wakeful.store.base import Store, Transaction

DONE = Outcome(TurnStatus.DONE)
FAILED = Outcome(TurnStatus.FAILED, "model_unavailable", "down", passing=True)
STOPPED = Outcome(TurnStatus.CANCELLED, "stopped", "")


def dispatcher_of(node: str = "node1", **settings: Any) -> Dispatcher:
    return Dispatcher(node, EngineSettings(**settings), LiveWords(FakeClock()))


async def close(store: Store, dispatcher: Dispatcher, outcome: Outcome = DONE, **how: Any) -> Assignment | None:
    async def body(tx: Transaction) -> Assignment | None:
        return await dispatcher.close(tx, await dispatcher.lane(tx, "s1"), outcome, **how)

    return await store.write(body, lock=["s1"])


async def arrive(store: Store, dispatcher: Dispatcher, *rows: Any, title: str = "") -> Assignment | None:
    async def body(tx: Transaction) -> Assignment | None:
        return await dispatcher.arrive(tx, await dispatcher.lane(tx, "s1"), *rows, title=title)

    return await store.write(body, lock=["s1"])


async def log_of(store: Store) -> list[Event]:
    return await store.read(lambda tx: tx.events.of_session("s1", 0, 100))


async def session_of(store: Store) -> Session:
    session = await store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None
    return session


async def turn_of(store: Store) -> Turn:
    turn = await store.read(lambda tx: tx.turns.get("t1"))
    assert turn is not None
    return turn


def say(dispatcher: Dispatcher, *words: str, turn_base: int = 0) -> None:
    said = dispatcher.words.begin(WordsHead("s1", "t1", 3, 0), turn_base)
    for word in words:
        dispatcher.words.add(said, TOKEN, word)


async def test_there_is_no_lane_without_a_session(store: Store) -> None:
    dispatcher = dispatcher_of()

    with pytest.raises(SessionNotFound, match="There is no session s1"):
        await arrive(store, dispatcher)


async def test_a_lane_has_the_row_with_the_key_that_is_asked_for(store: Store) -> None:
    row = await have_row(store, a_row("m1"))

    known = await store.read(lambda tx: dispatcher_of().lane(tx, "s1", "m1"))
    new = await store.read(lambda tx: dispatcher_of().lane(tx, "s1", "m2"))

    assert (known.known, new.known) == (row, None)


@pytest.mark.parametrize(
    ("lease", "is_held"),
    [
        (Lease("t1", "s1", "node1", 1), True),
        (Lease("t1", "s1", "node1", 2), False),
        (Lease("t2", "s1", "node1", 1), False),
        (Lease("t1", "s2", "node1", 1), False),
        (Lease("t1", "none", "node1", 1), False),
    ],
)
async def test_only_who_holds_the_turn_gets_its_lane(store: Store, lease: Lease, is_held: bool) -> None:
    await have_turn(store)
    await have_session(store, "s2")

    async def look() -> bool:
        lane = await store.read(lambda tx: dispatcher_of(daily_spend_usd=1.0).held_lane(tx, lease))
        return lane.active is not None and lane.active.id == "t1"

    if is_held:
        assert await look()
    else:
        with pytest.raises(LeaseLost):
            await look()


@pytest.mark.parametrize(("settings", "spent"), [({"daily_spend_usd": 5.0}, (2.0, 20.0)), ({}, (0.0, 0.0))])
async def test_what_the_day_has_cost_is_read_only_where_it_has_a_cap(
    store: Store, settings: dict[str, Any], spent: tuple[float, float]
) -> None:
    lease = await have_turn(store)
    await store.write(lambda tx: tx.spending.add("s1", Spend(usd=2.0)), lock=["s1"])
    dispatcher = dispatcher_of(**settings)

    lane = await store.read(lambda tx: dispatcher.lane(tx, "s1"))
    held = await store.read(lambda tx: dispatcher.held_lane(tx, lease))

    assert dispatcher.has_spend_cap is bool(settings)
    assert (lane.spent_usd, lane.asked_at) == (held.spent_usd, held.asked_at) == spent


async def test_a_row_that_waits_has_the_time_of_its_arrival_unless_it_brings_one(house: House) -> None:
    await have_turn(house.store)

    opened = await arrive(house.store, dispatcher_of(), a_row("m1", created_at=0.0), a_row("m2", created_at=30.0))

    pending = await house.store.read(lambda tx: tx.inbox.pending("s1"))
    assert opened is None
    assert {row.dedupe_key: row.created_at for row in pending} == {"m1": house.clock.now, "m2": 30.0}


async def test_a_turn_that_opens_is_handed_on_with_its_owner_its_journal_and_its_last_fact(store: Store) -> None:
    await have_session(store)
    await store.write(lambda tx: tx.events.append("s1", None, [NewEvent("before", b"{}")]), lock=["s1"])

    opened = await arrive(store, dispatcher_of(), a_row("m1"), title="Hello")

    assert opened is not None
    assert (opened.owner, opened.base, opened.turn.node) == ("alice", 3, "node1")
    assert opened.journal is not None
    assert [entry.data["text"] for entry in opened.journal] == ["hello"]
    kinds = [event.kind for event in await log_of(store)]
    assert kinds == ["before", "turn_started", "message", "session-updated"]


async def test_a_turn_with_ancestors_is_handed_on_without_a_journal(store: Store) -> None:
    await have_turn(store)
    await have_row(store, a_row("m1"))

    opened = await close(store, dispatcher_of())

    assert opened is not None
    assert (opened.turn.parent, opened.journal, opened.owner) == ("t1", None, "alice")


async def test_nothing_opens_after_a_turn_that_is_closed_alone(store: Store) -> None:
    await have_turn(store)
    await have_row(store, a_row("m1"))

    assert await close(store, dispatcher_of(), opens_next=False) is None

    assert (await session_of(store)).active is None
    assert len(await store.read(lambda tx: tx.inbox.pending("s1"))) == 1


async def test_a_stopping_node_opens_nothing(store: Store) -> None:
    await have_session(store)
    dispatcher = dispatcher_of()
    dispatcher.stopping.set()

    assert await arrive(store, dispatcher, a_row("m1")) is None

    assert dispatcher.is_stopping
    assert len(await store.read(lambda tx: tx.inbox.pending("s1"))) == 1


@pytest.mark.parametrize("is_listed", [True, False])
@pytest.mark.parametrize("how", ["arrives", "ends"])
async def test_a_message_that_waits_gives_its_session_a_title(store: Store, is_listed: bool, how: str) -> None:
    await have_session(store, is_listed=is_listed)
    await have_turn(store)

    if how == "arrives":
        await arrive(store, dispatcher_of(), a_row("m1"), title="Hello")
    else:
        await close(store, dispatcher_of(), title="Hello")

    session = await session_of(store)
    assert (session.title, session.title_origin) == ("Hello", TitleOrigin.WORDS)
    told = [event.data for event in await log_of(store) if event.kind == "session-updated"]
    assert told == ([{"session_id": "s1", "changed": ["title"]}] if is_listed else [])


async def test_without_a_title_the_session_keeps_its_own(store: Store) -> None:
    await have_session(store, title="Mine")
    await have_turn(store)

    await arrive(store, dispatcher_of(), a_row("m1"))
    await close(store, dispatcher_of())

    assert (await session_of(store)).title == "Mine"
    assert "session-updated" not in [event.kind for event in await log_of(store)]


@pytest.mark.parametrize(("title", "is_listed", "facts"), [("Hi", True, 1), ("Hi", False, 0), ("", True, 0)])
def test_an_opening_tells_of_a_title_if_lists_show_the_session(title: str, is_listed: bool, facts: int) -> None:
    opening = titled(an_opening("a"), a_session(is_listed=is_listed), title)

    assert (opening.title, len(opening.session_facts)) == (title, facts)


async def test_a_turn_that_does_not_run_cannot_be_closed(store: Store) -> None:
    await have_session(store)

    with pytest.raises(LeaseLost):
        await close(store, dispatcher_of())


@pytest.mark.parametrize(("outcome", "goes_on"), [(DONE, True), (FAILED, False), (STOPPED, False)])
async def test_what_only_a_turn_waits_for_ends_with_it_unless_it_is_done(
    house: House, outcome: Outcome, goes_on: bool
) -> None:
    store, now = house.store, house.clock.now
    await have_turn(store)
    await have_task(store, a_task("inline", is_inline=True))
    await have_task(store, a_task("other", index=2))
    asked = an_approval(expires_at=now + 60)
    await store.write(lambda tx: tx.approvals.ask_if_new(asked), lock=["s1"])

    await close(store, dispatcher_of(), outcome)

    tasks = await store.read(lambda tx: tx.tasks.of_session("s1"))
    assert {task.id: task.kill_intended for task in tasks} == {"inline": not goes_on, "other": False}
    assert len(await store.read(lambda tx: tx.approvals.open_of("s1", now))) == int(goes_on)


async def test_whoever_writes_with_the_end_of_a_turn_is_asked_in_its_transaction(store: Store) -> None:
    await have_turn(store)
    closed: list[tuple[str, Outcome]] = []

    async def note(tx: Transaction, turn: Turn, outcome: Outcome) -> None:
        closed.append((turn.id, outcome))
        await tx.events.append("s1", None, [NewEvent("noted", b"{}")])

    dispatcher = dispatcher_of()
    dispatcher.on_close = note
    await close(store, dispatcher, STOPPED)

    assert closed == [("t1", STOPPED)]
    assert [event.kind for event in await log_of(store)] == ["cancelled", "noted"]


@pytest.mark.parametrize(
    ("turn", "outcome", "news", "is_given_up"),
    [
        ({}, FAILED, ["failed"], False),
        ({}, DONE, [], False),
        ({}, STOPPED, [], False),
        ({"is_wakeup": True}, FAILED, [], False),
        ({"is_wakeup": True, "attempt": 4}, FAILED, ["failed"], True),
        ({"is_wakeup": True}, replace(FAILED, passing=False), ["failed"], False),
    ],
)
async def test_a_failure_is_news_unless_the_turn_is_tried_again(
    store: Store,
    caplog: pytest.LogCaptureFixture,
    turn: dict[str, Any],
    outcome: Outcome,
    news: list[str],
    is_given_up: bool,
) -> None:
    await have_turn(store, **turn)

    await close(store, dispatcher_of(), outcome)

    told = await store.read(lambda tx: tx.news.after("alice", 0, 10))
    assert [new.event.kind for new in told] == news
    assert ("wake-up turn t1 failed 5 times and is given up" in caplog.text) is is_given_up


async def test_a_wait_is_stored_and_announced(house: House) -> None:
    await have_turn(house.store)
    await have_row(house.store, a_row("n1", kind=RowKind.NOTICE))
    await house.store.write(lambda tx: tx.spending.add("s1", Spend(usd=9.0)), lock=["s1"])

    await close(house.store, dispatcher_of(daily_spend_usd=5.0))

    session = await session_of(house.store)
    waits = (await log_of(house.store))[-1]
    assert session.wake_reason is WakeReason.SPEND
    assert session.wake_at is not None
    assert (waits.kind, waits.data) == (
        "wake_waits",
        {"session_id": "s1", "until": session.wake_at, "reason": "spend"},
    )


async def join(store: Store, lease: Lease) -> tuple[list[str], Event | None]:
    entries, last = await store.write(lambda tx: dispatcher_of().join(tx, lease, 2, 5), lock=["s1"])
    return [f"{entry.id} {entry.data['text']}" for entry in entries], last


async def test_nothing_joins_a_turn_while_nothing_has_come(store: Store) -> None:
    lease = await have_turn(store)
    await have_row(store, a_row("m1"))

    assert await join(store, lease) == ([], None)

    assert await log_of(store) == []


async def test_what_joins_a_turn_is_recorded_there_and_its_own_stream_ends(store: Store) -> None:
    lease = await have_turn(store)
    payload = orjson.dumps({"text": "built", "notice": {}})
    await have_row(store, a_row("n1", kind=RowKind.NOTICE, payload=payload))
    row = await have_row(store, a_row("m1", steers=True))
    taken = await store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node1"), lock=["s1"])
    assert taken is not None
    assert taken.resumes == 1

    entries, last = await join(store, replace(lease, epoch=2))

    assert entries == ["t1.2.5 built", "t1.2.6 hello"]
    assert [
        f"{one.id} {one.data['text']}" for one in await store.read(lambda tx: tx.journal.of_turns(["t1"]))
    ] == entries
    log = await log_of(store)
    assert [(event.kind, event.turn_id) for event in log] == [
        ("notice", "t1"),
        ("message", "t1"),
        ("done", row.turn_id),
    ]
    assert last is not None
    assert last.session_seq == log[1].session_seq
    assert log[0].data["delivered"] == "joined"
    assert log[2].data == {"joined": "t1"}
    assert (await turn_of(store)).resumes == 0
    claimed = await store.read(lambda tx: tx.inbox.find("s1", "m1"))
    assert claimed is not None
    assert (claimed.status, claimed.claimed_by) == (RowStatus.CLAIMED, "t1")


async def test_nothing_joins_a_turn_that_is_another_nodes(store: Store) -> None:
    lease = await have_turn(store)

    with pytest.raises(LeaseLost):
        await join(store, replace(lease, epoch=2))


@pytest.mark.parametrize("words", [(), ("Hel", "lo")])
async def test_a_turn_that_is_released_takes_its_words_back(store: Store, words: tuple[str, ...]) -> None:
    await have_turn(store)
    dispatcher = dispatcher_of()
    if words:
        say(dispatcher, *words)

    async def body(tx: Transaction) -> None:
        turn = await tx.turns.get("t1")
        assert turn is not None
        await dispatcher.release(tx, turn)

    await store.write(body, lock=["s1"])

    assert (await turn_of(store)).node is None
    ends = [event.ends for event in await log_of(store)]
    if not words:
        assert ends == []
    else:
        (end,) = ends
        assert end is not None
        assert end.said is not None
        assert (end.step, end.count, end.said.text) == (3, 2, "Hello")


async def test_a_queued_message_is_withdrawn_once_and_its_stream_ends(store: Store) -> None:
    await have_turn(store)
    row = await have_row(store, a_row("m1"))

    done = [await store.write(lambda tx: dispatcher_of().withdraw(tx, row), lock=["s1"]) for _ in range(2)]

    assert done == [True, False]
    (event,) = await log_of(store)
    assert (event.kind, event.turn_id, event.data) == ("cancelled", row.turn_id, {"reason": "withdrawn"})


async def test_words_that_were_shown_are_kept_when_their_turn_is_stopped(store: Store) -> None:
    await have_turn(store)
    dispatcher = dispatcher_of()
    say(dispatcher, "Hel", "lo")

    await close(store, dispatcher, STOPPED)

    (entry,) = await store.read(lambda tx: tx.journal.of_turns(["t1"]))
    assert (entry.kind, entry.step, entry.data["text"]) == (EntryKind.CUT, 3, "Hello")
    (end,) = [event.ends for event in await log_of(store)]
    assert end is not None
    assert (end.step, end.count, end.void, end.said) == (3, 2, 0, None)


@pytest.mark.parametrize(("node", "void"), [("node1", None), (None, None), ("node2", 1000)])
async def test_of_a_turn_that_ran_elsewhere_words_may_have_been_shown_that_are_not_known(
    store: Store, node: str | None, void: int | None
) -> None:
    await have_turn(store, node=node)

    await close(store, dispatcher_of(), STOPPED)

    (end,) = [event.ends for event in await log_of(store)]
    if void is None:
        assert end is None
    else:
        assert end is not None
        assert (end.step, end.base, end.count, end.void) == (0, 0, 0, void)


async def test_the_last_fact_of_a_turn_is_found_by_its_number_in_the_session(store: Store) -> None:
    lease = await have_turn(store)

    async def body(tx: Transaction) -> tuple[int, int]:
        before = await last_fact(tx, a_turn(last_seq=0))
        await tx.events.append("s1", None, [NewEvent("session", b"{}")])
        await tx.events.append("s1", lease.turn_id, [NewEvent("one", b"{}"), NewEvent("two", b"{}")])
        return before, await last_fact(tx, a_turn(last_seq=2))

    assert await store.write(body, lock=["s1"]) == (0, 3)


def test_the_assignment_of_a_new_session_is_made_before_its_opening_is_committed() -> None:
    opening, opened = an_opening("a"), asyncio.Event()

    assignment = first_assignment(opening, opened)

    assert (assignment.turn, assignment.base, assignment.journal) == (opening.turn, 2, opening.entries)
    assert (assignment.opened, assignment.owner) == (opened, "alice")


def test_the_base_of_an_assignment_is_the_last_fact_of_the_turn_and_not_of_the_session() -> None:
    opening = an_opening("a")
    events = [Event("s1", number, None, None, "kind", b"{}", 0.0) for number in (7, 8, 9)]

    assignment = assignment_of(opening, Opened(opening.turn, events), "alice")

    assert (assignment.base, assignment.owner, assignment.opened) == (8, "alice", None)
    assert assignment.journal == opening.entries
    assert assignment.lease == opening.turn.lease


async def test_an_assignment_waits_only_for_an_opening_that_is_not_committed_yet() -> None:
    opened = asyncio.Event()
    waiting = asyncio.create_task(Assignment(a_turn(), 0, opened=opened).until_open())
    await asyncio.sleep(0)
    assert not waiting.done()

    opened.set()
    await waiting

    await Assignment(a_turn(), 0).until_open()


async def test_the_news_of_a_failure_is_the_end_of_its_turn_and_not_its_last_answer(store: Store) -> None:
    await have_turn(store)

    await close(store, dispatcher_of(), FAILED, answer=Step([], [NewEvent("usage", b"{}")]))

    assert [event.kind for event in await log_of(store)] == ["usage", "failed"]
    assert [new.event.kind for new in await store.read(lambda tx: tx.news.after("alice", 0, 10))] == ["failed"]
