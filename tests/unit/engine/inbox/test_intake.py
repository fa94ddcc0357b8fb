"""How a message is taken in: what its sender is told, and what is written of it."""

from dataclasses import replace
from typing import Any

import pytest

from tests.engine.kit import FakeClock, House
from tests.store.nouns import ADDRESS, DOOR, a_row, a_session, have_row, have_session, have_turn
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.inbox.intake import Intake
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.settings import EngineSettings
from wakeful.engine.words.words import LiveWords
from wakeful.errors import EngineStopping, SessionBusy, SessionNotFound
from wakeful.model.api.request import TurnRequest
from wakeful.model.event import Event
from wakeful.model.files.attachment import Attachment
from wakeful.model.inbox import IfBusy, InboxRow, RowKind
from wakeful.model.spend import Spend
from wakeful.model.turn import TurnStatus
from wakeful.store.base import Store

PICTURE = Attachment("att_1", "cat.png", "image/png", 3)


def intake_of(**settings: Any) -> Intake:
    return Intake(Dispatcher("node1", EngineSettings(**settings), LiveWords(FakeClock())))


def message(text: str = "hello", **changes: Any) -> Submission:
    return replace(Submission("s1", text, DOOR, ADDRESS, "m1", "demo:model", turn_id="t_m1"), **changes)


async def accept(
    store: Store, submission: Submission, intake: Intake | None = None
) -> tuple[Receipt, Assignment | None]:
    taking = intake or intake_of()
    return await store.write(lambda tx: taking.accept(tx, submission), lock=["s1"])


async def log_of(store: Store) -> list[Event]:
    return await store.read(lambda tx: tx.events.of_session("s1", 0, 100))


async def row_of(store: Store) -> InboxRow:
    row = await store.read(lambda tx: tx.inbox.find("s1", "message:m1"))
    assert row is not None
    return row


async def test_a_message_to_an_idle_session_opens_its_turn(store: Store) -> None:
    await have_session(store)

    receipt, opened = await accept(store, message())

    assert opened is not None
    assert (receipt.turn_id, receipt.is_queued, receipt.turn) == ("t_m1", False, opened.turn)
    assert opened.owner == "alice"
    assert "message_queued" not in [event.kind for event in await log_of(store)]


@pytest.mark.parametrize("waiting", [[], ["a"], ["a", "b"]])
async def test_a_message_to_a_busy_session_is_told_its_place_among_the_messages(
    store: Store, waiting: list[str]
) -> None:
    await have_turn(store)
    await have_row(store, a_row("n1", kind=RowKind.NOTICE))
    for name in waiting:
        await have_row(store, a_row(name))

    receipt, opened = await accept(store, message())

    assert (receipt, opened) == (Receipt("s1", "t_m1", is_queued=True), None)
    told = [event.data for event in await log_of(store) if event.kind == "message_queued"]
    assert told == [{"session_id": "s1", "turn_id": "t_m1", "position": len(waiting) + 1}]


async def test_a_message_that_lets_an_older_one_open_comes_right_after_it(store: Store) -> None:
    await have_session(store)
    for name in ("a", "b"):
        await have_row(store, a_row(name))

    receipt, opened = await accept(store, message())

    assert opened is not None
    assert (opened.turn.id, receipt.is_queued, receipt.turn) == ("turn_of_s1_a", True, None)
    assert [event.data["position"] for event in await log_of(store) if event.kind == "message_queued"] == [2]


@pytest.mark.parametrize("is_queued", [True, False])
async def test_a_message_that_is_sent_again_changes_nothing(store: Store, is_queued: bool) -> None:
    await (have_turn(store) if is_queued else have_session(store))
    await accept(store, message())
    before = await log_of(store)

    again = await accept(store, message("other", turn_id="t_m2"))

    assert again == (Receipt("s1", "t_m1", is_queued=is_queued), None)
    assert await log_of(store) == before


async def test_a_deleted_session_takes_nothing_in(house: House) -> None:
    await have_session(house.store)
    await house.store.write(lambda tx: tx.sessions.delete("s1", house.clock.now + 30), lock=["s1"])

    with pytest.raises(SessionNotFound, match="There is no session s1"):
        await accept(house.store, message())


async def test_a_message_that_does_not_wait_is_refused_while_a_turn_runs(store: Store) -> None:
    await have_turn(store)

    with pytest.raises(SessionBusy) as refused:
        await accept(store, message(if_busy=IfBusy.REJECT))

    assert refused.value.active_turn_id == "t1"


async def test_a_message_that_interrupts_stops_the_turn_and_opens_its_own(store: Store) -> None:
    await have_turn(store)
    await have_row(store, a_row("a"))

    receipt, opened = await accept(store, message(if_busy=IfBusy.INTERRUPT))

    turn = await store.read(lambda tx: tx.turns.get("t1"))
    assert opened is not None
    assert turn is not None
    assert (receipt.turn_id, receipt.is_queued, opened.turn.parent) == ("t_m1", False, "t1")
    assert turn.status is TurnStatus.CANCELLED
    assert b"interrupted" in (turn.error or b"")


@pytest.mark.parametrize("if_busy", list(IfBusy))
async def test_whatever_a_message_would_do_to_a_turn_it_opens_its_own_in_an_idle_session(
    store: Store, if_busy: IfBusy
) -> None:
    await have_session(store)

    receipt, _ = await accept(store, message(if_busy=if_busy))

    assert (receipt.turn_id, receipt.is_queued) == ("t_m1", False)


@pytest.mark.parametrize(("if_busy", "marks"), [(IfBusy.QUEUE, (False, False)), (IfBusy.STEER, (True, False))])
async def test_a_row_knows_what_it_may_do_to_a_turn(store: Store, if_busy: IfBusy, marks: tuple[bool, bool]) -> None:
    await have_turn(store)

    await accept(store, message(if_busy=if_busy))

    row = await row_of(store)
    assert (row.steers, row.is_urgent) == marks


@pytest.mark.parametrize(
    ("submission", "payload"),
    [
        (message(), {"text": "hello"}),
        (message(attachments=(PICTURE,)), {"text": "hello", "attachments": [PICTURE.fields]}),
        (message(source="cron", is_by_hand=True), {"text": "hello", "by_hand": True}),
        (
            message(inputs=[{"text": "a"}], from_checkpoint=True),
            {"text": "hello", "inputs": [{"text": "a"}], "from_checkpoint": True},
        ),
        (message(request=TurnRequest(kind="chat")), {"text": "hello", "inputs": [], "from_checkpoint": False}),
    ],
)
async def test_a_row_keeps_what_its_sender_asked_for(
    store: Store, submission: Submission, payload: dict[str, Any]
) -> None:
    await have_turn(store)

    await accept(store, submission)

    kept = (await row_of(store)).data
    assert {name: value for name, value in kept.items() if name != "request"} == payload
    assert ("request" in kept) is ("inputs" in payload)


@pytest.mark.parametrize(
    ("known", "submission", "title"),
    [
        ("", message("Hello there"), "Hello there"),
        ("", message("", attachments=(PICTURE,)), "cat.png"),
        ("Mine", message("Hello there"), "Mine"),
    ],
)
async def test_a_session_without_a_title_is_named_after_its_first_message(
    store: Store, known: str, submission: Submission, title: str
) -> None:
    await have_session(store, title=known)

    await accept(store, submission)

    session = await store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None
    assert session.title == title


def test_the_opening_of_a_new_session_brings_the_session_along() -> None:
    opening = intake_of().first(message("Hello there", session=a_session()))

    assert (opening.session, opening.title, opening.turn.id) == (a_session(), "Hello there", "t_m1")


def test_a_stopping_node_opens_no_new_session() -> None:
    intake = intake_of()
    intake.dispatcher.stopping.set()

    with pytest.raises(EngineStopping):
        intake.first(message(session=a_session()))


@pytest.mark.parametrize("cap", [None, 5.0])
async def test_a_new_session_is_made_with_its_first_turn(store: Store, cap: float | None) -> None:
    receipt, opened = await accept(store, message(session=a_session()), intake_of(daily_spend_usd=cap))

    assert opened is not None
    assert (receipt.turn, receipt.is_queued, opened.owner) == (opened.turn, False, "alice")


@pytest.mark.parametrize(("spent", "is_queued"), [(9.0, True), (1.0, False)])
async def test_a_new_session_of_a_schedule_waits_if_the_day_has_cost_enough(
    house: House, spent: float, is_queued: bool
) -> None:
    await house.store.write(lambda tx: tx.spending.add_unstored("bob", Spend(usd=spent)))
    new = a_session(created_at=0.0, updated_at=0.0)

    receipt, opened = await accept(house.store, message(session=new, source="cron"), intake_of(daily_spend_usd=5.0))

    session = await house.store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None
    assert (receipt.is_queued, opened is None) == (is_queued, is_queued)
    assert session.created_at == house.clock.now
