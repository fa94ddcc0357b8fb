"""What a turn is told by the rows that open it, and what the log shows of that."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from tests.store.nouns import a_row, a_session, a_turn
from wakeful.engine.inbox.decision import MESSAGE_PREFIX, Rules, Wait, entries_of, input_event, settled_session
from wakeful.engine.settings import EngineSettings
from wakeful.model.event import NewEvent
from wakeful.model.files.attachment import Attachment, shown_fields
from wakeful.model.inbox import UNDO, InboxRow, RowKind
from wakeful.model.journal.entry import Entry, cut_entry, input_entry
from wakeful.model.lane import Lane
from wakeful.model.opening import Step
from wakeful.model.session import Address, WakeReason
from wakeful.model.turn import COMPACTION, Outcome, TurnStatus
from wakeful.model.words import Said

PICTURE = Attachment("att_1", "cat.png", "image/png", 3)
NOW = 100.0
DONE = Outcome(TurnStatus.DONE)
END = NewEvent("done", b"{}")


def row(text: str, kind: RowKind = RowKind.MESSAGE, **changes: Any) -> InboxRow:
    more = changes.pop("more", {})
    return a_row(f"{MESSAGE_PREFIX}{text}", kind=kind, payload=orjson.dumps({"text": text} | more), **changes)


def inputs_of(*rows: InboxRow) -> list[dict[str, Any]]:
    return [entry.data for entry in entries_of("t1", 2, 5, rows, "joined", NOW)]


def entry_of(**data: Any) -> Entry:
    return input_entry("t1", 0, 3, {"source": "user", "message_id": "m1", "text": "hello"} | data)


def told(entry: Entry) -> tuple[str, dict[str, Any]]:
    event = input_event(entry)
    assert event.quote is not None
    assert (event.quote.step, event.quote.index) == (0, 3)
    return event.kind, orjson.loads(event.payload)


def test_a_message_is_an_input_with_the_key_of_its_sender() -> None:
    assert inputs_of(row("hello")) == [{"source": "user", "message_id": "hello", "text": "hello"}]


def test_inputs_are_numbered_from_the_first_free_index() -> None:
    entries = entries_of("t1", 2, 5, [row("a"), row("b")], "joined", NOW)

    assert [entry.id for entry in entries] == ["t1.2.5", "t1.2.6"]


def test_a_message_brings_its_files() -> None:
    files = [PICTURE.fields]

    assert inputs_of(row("hello", more={"attachments": files}))[0]["attachments"] == files
    assert "attachments" not in inputs_of(row("hello", more={"attachments": []}))[0]


def test_messages_of_several_roles_are_inputs_of_their_own() -> None:
    given = [{"text": "be brief", "role": "system"}, {"text": "hello"}]

    inputs = inputs_of(row("m1", more={"inputs": given}))

    assert [data["text"] for data in inputs] == ["be brief", "hello"]
    assert [data.get("role") for data in inputs] == ["system", None]
    assert {data["message_id"] for data in inputs} == {"m1"}


def test_a_notice_says_how_it_was_delivered() -> None:
    (data,) = inputs_of(row("built", RowKind.NOTICE, created_at=NOW - 2, more={"notice": {"task_id": "k1"}}))

    assert data["notice"] == {"task_id": "k1", "delivered": "joined", "latency_ms": 2000}


def test_a_notice_of_an_older_version_has_no_data_of_its_own() -> None:
    (data,) = inputs_of(row("built", RowKind.NOTICE, created_at=NOW))

    assert data["notice"] == {"delivered": "joined", "latency_ms": 0}


def test_files_that_were_put_back_are_one_input_each_named_once() -> None:
    remarks = [row(path, RowKind.REMARK, source=UNDO) for path in ("a.txt", "b.txt", "a.txt")]

    inputs = inputs_of(row("built", RowKind.NOTICE), *remarks, row("hello"))

    assert [data["text"] for data in inputs] == ["built", "[Undone: a.txt, b.txt]", "hello"]
    assert (inputs[1]["source"], inputs[1]["message_id"]) == (UNDO, "")


def test_the_log_shows_a_message_with_its_own_id_and_that_of_its_sender() -> None:
    assert told(entry_of()) == (
        "message",
        {"message_id": "t1.0.3", "source": "user", "content": "hello", "client_message_id": "m1"},
    )


def test_the_log_shows_the_files_of_a_message() -> None:
    _, data = told(entry_of(attachments=[PICTURE.fields]))

    assert data["attachments"] == [shown_fields(PICTURE.fields)]


@pytest.mark.parametrize(("recorded", "role"), [({}, None), ({"role": "system"}, "system"), ({"source": UNDO}, "note")])
def test_the_log_shows_who_speaks(recorded: dict[str, str], role: str | None) -> None:
    _, data = told(entry_of(**recorded))

    assert data.get("role") == role


def test_the_log_shows_a_notice_with_its_data() -> None:
    kind, data = told(entry_of(source="process_wakeup", notice={"task_id": "k1", "delivered": "opened"}))

    assert (kind, data["task_id"], data["delivered"], data["content"]) == ("notice", "k1", "opened", "hello")
    assert "client_message_id" not in data


RULES = Rules("node1", EngineSettings(closed_platforms=frozenset({"slack"}), wake_retry_seconds=8.0))
CLOSED = Address("slack", "C1")


@pytest.mark.parametrize(("kind", "opens"), [(RowKind.NOTICE, False), (RowKind.RETRY, False), (RowKind.MESSAGE, True)])
def test_what_cannot_be_delivered_waits_unless_a_person_has_written(kind: RowKind, opens: bool) -> None:
    coming = row("x", kind, address=CLOSED, more={"attempt": 1})

    decision = RULES.decide(Lane(a_session(), now=NOW), coming)

    assert (decision.opening is not None) is opens
    assert (coming in decision.posted) is not opens
    assert decision.wait is None


def test_a_remark_waits_for_a_message_and_comes_with_it() -> None:
    remark = row("a.txt", RowKind.REMARK, source=UNDO, address=CLOSED)

    alone = RULES.decide(Lane(a_session(), now=NOW), remark)
    opening = RULES.decide(Lane(a_session(), now=NOW), remark, row("hello")).opening

    assert (alone.opening, alone.posted) == (None, (remark,))
    assert opening is not None
    assert [entry.data["text"] for entry in opening.entries] == ["[Undone: a.txt]", "hello"]


def test_a_summary_that_a_user_wants_has_no_input() -> None:
    opening = RULES.decide(Lane(a_session(), now=NOW), row("", source=COMPACTION)).opening

    assert opening is not None
    assert opening.entries == ()


@pytest.mark.parametrize(("model", "expected"), [("demo:own", "demo:own"), ("", "demo:model")])
def test_a_wake_up_of_a_session_without_a_model_has_that_of_its_notice(model: str, expected: str) -> None:
    opening = RULES.decide(Lane(a_session(model=model), now=NOW), row("built", RowKind.NOTICE)).opening

    assert opening is not None
    assert (opening.turn.model, opening.releases_hold) == (expected, False)
    assert opening.entries[0].data["notice"]["delivered"] == "opened"


def test_notices_that_come_with_a_message_say_so() -> None:
    opening = RULES.decide(Lane(a_session(), now=NOW), row("built", RowKind.NOTICE), row("hello")).opening

    assert opening is not None
    assert opening.entries[0].data["notice"]["delivered"] == "with_message"
    assert (opening.turn.message_id, opening.turn.workspace) == ("hello", a_session().workspace)


def test_a_request_is_that_of_the_message() -> None:
    asked = row("hello", more={"request": {"kind": "chat"}, "inputs": [{"text": "hello"}]})

    opening = RULES.decide(Lane(a_session(), now=NOW), asked).opening

    assert opening is not None
    assert orjson.loads(opening.turn.request) == {"kind": "chat"}


def test_a_retry_is_a_row_of_its_turn_with_one_more_attempt() -> None:
    failed = Outcome(TurnStatus.FAILED, "model_unavailable", "down", passing=True)
    turn = a_turn(is_wakeup=True, attempt=1, source="process_wakeup")

    closing, _ = RULES.close(Lane(a_session(active="t1"), now=NOW), turn, failed, end=END)

    (retry,) = closing.posted
    assert (retry.id, retry.kind, retry.dedupe_key) == (0, RowKind.RETRY, "retry:t1")
    assert (retry.source, retry.data, retry.not_before) == ("process_wakeup", {"attempt": 2}, NOW + 16)


@pytest.mark.parametrize(("passing", "attempt", "again"), [(True, 3, True), (True, 4, False), (False, 0, False)])
def test_a_wake_up_is_tried_as_often_as_the_setting_says(passing: bool, attempt: int, again: bool) -> None:
    outcome = Outcome(TurnStatus.FAILED, "model", "down", passing=passing)

    assert RULES.is_tried_again(a_turn(is_wakeup=True, attempt=attempt), outcome) is again
    assert not RULES.is_tried_again(a_turn(is_wakeup=False, attempt=attempt), outcome)


def test_an_end_writes_the_last_answer_or_the_words_that_were_cut_off() -> None:
    lane = Lane(a_session(active="t1"), now=NOW)
    cut, answer = cut_entry("t1", 1, Said("Hi", "", (2,))), entry_of()

    stopped, _ = RULES.close(lane, a_turn(), DONE, cut=[cut], end=END)
    answered, _ = RULES.close(lane, a_turn(), DONE, answer=Step([answer], []), end=END)

    assert (stopped.entries, stopped.facts, stopped.cost) == ((cut,), (END,), None)
    assert (answered.entries, answered.facts, answered.cost) == ((answer,), (END,), None)


@pytest.mark.parametrize("code", ["model_auth", "model_credit"])
def test_what_a_summary_does_not_prove_stays_blocked(code: str) -> None:
    failed = settled_session(a_session(), a_turn(), Outcome(TurnStatus.FAILED, code), by_user=False)
    summed_up = settled_session(failed, a_turn(source=COMPACTION), DONE, by_user=False)
    answered = settled_session(failed, a_turn(), DONE, by_user=False)

    assert (failed.is_blocked, summed_up.is_blocked, answered.is_blocked) == (True, True, False)
    assert (failed.head, failed.active, failed.checkpoint) == ("t1", None, None)


def test_a_wait_is_told_again_when_its_time_or_its_reason_has_changed() -> None:
    waiting = Lane(a_session(wake_at=NOW - 50 + 3600), pending=(row("n", RowKind.NOTICE),), now=NOW, spent_at=NOW - 50)
    later = replace(waiting, spent_at=NOW - 40)
    for_spend = replace(waiting, session=replace(waiting.session, wake_reason=WakeReason.SPEND))

    waits = [RULES.decide(lane).wait for lane in (waiting, later, for_spend)]

    until = NOW - 50 + 3600
    assert waits == [None, Wait(until + 10, WakeReason.BUDGET), Wait(until, WakeReason.BUDGET)]


def test_a_notice_that_may_cost_takes_those_along_that_may_not() -> None:
    rules = Rules("node1", EngineSettings(daily_spend_usd=5.0))
    waited = replace(row("old", RowKind.NOTICE, created_at=NOW - 50), id=1)
    lane = Lane(a_session(), pending=(waited,), now=NOW, spent_usd=9.0, asked_at=NOW - 10)

    opening = rules.decide(lane, row("new", RowKind.NOTICE, created_at=NOW)).opening

    assert opening is not None
    assert [entry.data["text"] for entry in opening.entries] == ["old", "new"]


def test_where_nothing_waits_no_wait_is_told() -> None:
    rules = Rules("node1", EngineSettings(daily_spend_usd=5.0))

    assert rules.decide(Lane(a_session(), now=NOW, spent_usd=9.0)).wait is None
