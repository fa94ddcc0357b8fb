"""What opens and what waits, decided in a table of cases."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from wakeful.engine.inbox.decision import Decision, Rules, Wait
from wakeful.engine.settings import EngineSettings
from wakeful.model.event import NewEvent
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.lane import Lane
from wakeful.model.opening import Step
from wakeful.model.session import Address, Session, WakeReason
from wakeful.model.spend import Spend
from wakeful.model.turn import COMPACTION, Door, Outcome, Turn, TurnStatus

NOW = 10_000.0
HERE, THERE = Address("web", "here"), Address("web", "there")
WEB, API = Door("web", async_delivery=True), Door("api", async_delivery=False)
RULES = Rules("node1", EngineSettings(wake_budget_per_hour=2, wake_company_seconds=5.0, wake_retry_seconds=8.0))
DONE = Outcome(TurnStatus.DONE)
FAILED = Outcome(TurnStatus.FAILED, "model_unavailable", "down", passing=True)
END = NewEvent("done", b"{}")


def row(name: str, kind: RowKind = RowKind.MESSAGE, **changes: Any) -> InboxRow:
    values: dict[str, Any] = {
        "id": 0,
        "source": "user",
        "turn_id": f"turn_{name}",
        "door": WEB,
        "address": HERE,
        "model": "demo:asked",
        "payload": orjson.dumps({"text": name, "attempt": 2}),
        "created_at": NOW - 1,
    }
    return InboxRow(session_id="s1", dedupe_key=f"message:{name}", kind=kind, **(values | changes))


def notice(name: str, **changes: Any) -> InboxRow:
    return row(name, RowKind.NOTICE, **changes)


def retry(name: str, **changes: Any) -> InboxRow:
    return row(name, RowKind.RETRY, **changes)


def lane(*pending: InboxRow, session: dict[str, Any] | None = None, **changes: Any) -> Lane:
    stored = tuple(replace(known, id=number) for number, known in enumerate(pending, start=1))
    return Lane(Session("s1", "me", HERE, "demo:own", **(session or {})), pending=stored, now=NOW, **changes)


def a_turn(**changes: Any) -> Turn:
    values: dict[str, Any] = {"source": "user", "is_wakeup": False, "model": "demo:own", "node": "node1", "epoch": 3}
    return Turn("t1", "s1", None, WEB, HERE, status=TurnStatus.RUNNING, **(values | changes))


def shape(decision: Decision) -> tuple[str, list[str], list[str]]:
    """Return the turn that opens, the rows that it takes, and the new rows that wait."""
    opening = decision.opening
    taken = [] if opening is None else [entry.data["text"] for entry in opening.entries]
    return "" if opening is None else opening.turn.id, taken, [waits.turn_id for waits in decision.posted]


@pytest.mark.parametrize(
    ("found", "coming", "expected"),
    [
        pytest.param(lane(), [], ("", [], []), id="nothing is pending"),
        pytest.param(lane(), [row("a")], ("turn_a", ["a"], []), id="a message opens a turn"),
        pytest.param(lane(row("a")), [row("b")], ("turn_a", ["a"], ["turn_b"]), id="the oldest goes first"),
        pytest.param(lane(row("a")), [row("b", is_urgent=True)], ("turn_b", ["b"], []), id="unless one is urgent"),
        pytest.param(lane(row("a")), [row("b", steers=True)], ("turn_b", ["b"], []), id="late steering goes first"),
        pytest.param(lane(session={"active": "t0"}), [row("a")], ("", [], ["turn_a"]), id="a busy session queues"),
        pytest.param(lane(session={"purge_at": 1.0}), [row("a")], ("", [], ["turn_a"]), id="a deleted one opens none"),
        pytest.param(lane(), [notice("n")], ("turn_n", ["n"], []), id="a notice wakes"),
        pytest.param(lane(notice("n")), [row("a")], ("turn_a", ["n", "a"], []), id="notices come before the message"),
        pytest.param(
            lane(notice("n", address=THERE)), [row("a")], ("turn_a", ["a"], []), id="but none of another address"
        ),
        pytest.param(lane(notice("n")), [row("a", door=API)], ("turn_a", ["a"], []), id="nor at a door that ends"),
        pytest.param(lane(session={"is_held": True}), [notice("n")], ("", [], ["turn_n"]), id="a hold keeps notices"),
        pytest.param(lane(session={"is_blocked": True}), [notice("n")], ("", [], ["turn_n"]), id="so does a block"),
        pytest.param(
            lane(notice("n"), session={"is_held": True}), [row("a")], ("turn_a", ["n", "a"], []), id="a message ends it"
        ),
        pytest.param(lane(promised=frozenset({"k"})), [notice("n")], ("", [], ["turn_n"]), id="company is waited for"),
        pytest.param(lane(promised=frozenset({"k"})), [row("a")], ("turn_a", ["a"], []), id="by notices only"),
        pytest.param(lane(spent_at=NOW - 60), [notice("n")], ("", [], ["turn_n"]), id="a spent budget"),
        pytest.param(lane(spent_at=NOW - 60), [row("a")], ("turn_a", ["a"], []), id="is nothing to a message"),
        pytest.param(lane(retry("r", not_before=NOW + 9)), [], ("", [], []), id="a retry waits for its time"),
        pytest.param(lane(retry("r", not_before=NOW)), [], ("turn_r", [], []), id="and tells nothing anew"),
        pytest.param(
            lane(retry("r", not_before=NOW + 9)), [row("a")], ("turn_a", ["a"], []), id="or rides along, untold"
        ),
    ],
)
def test_what_opens_and_what_waits(
    found: Lane, coming: list[InboxRow], expected: tuple[str, list[str], list[str]]
) -> None:
    assert shape(RULES.decide(found, *coming)) == expected


def test_a_node_that_is_stopping_opens_nothing() -> None:
    stopping = replace(RULES, may_open=False)

    assert shape(stopping.decide(lane(row("a")), row("b"))) == ("", [], ["turn_b"])


def test_a_spent_budget_says_once_when_it_frees() -> None:
    waits = RULES.decide(lane(notice("n"), spent_at=NOW - 600))
    again = RULES.decide(lane(notice("n"), spent_at=NOW - 600, session={"wake_at": NOW + 3_000}))

    assert (waits.wait, waits.opening) == (Wait(NOW + 3_000, WakeReason.BUDGET), None)
    assert (again.wait, again.opening) == (None, None)


SPENT_RULES = replace(RULES, settings=EngineSettings(daily_spend_usd=5.0))
MIDNIGHT = Wait(86_400.0, WakeReason.SPEND)


def cron(name: str, **changes: Any) -> InboxRow:
    return row(name, source="cron", **changes)


BY_HAND = cron("h", payload=orjson.dumps({"text": "h", "by_hand": True}))


@pytest.mark.parametrize(
    ("found", "coming", "expected", "wait"),
    [
        pytest.param(lane(), [notice("n")], ("", [], ["turn_n"]), MIDNIGHT, id="a notice waits"),
        pytest.param(lane(retry("r")), [], ("", [], []), MIDNIGHT, id="so does a retry"),
        pytest.param(lane(), [cron("c")], ("", [], ["turn_c"]), MIDNIGHT, id="and a schedule"),
        pytest.param(lane(), [row("w", source="webhook")], ("", [], ["turn_w"]), MIDNIGHT, id="and a hook"),
        pytest.param(lane(), [BY_HAND], ("turn_h", ["h"], []), None, id="but not one that was run by hand"),
        pytest.param(lane(), [row("d", source="delegation")], ("turn_d", ["d"], []), None, id="nor a sub-agent"),
        pytest.param(lane(notice("n")), [row("a")], ("turn_a", ["n", "a"], []), None, id="a message takes notices"),
        pytest.param(lane(cron("c")), [row("a")], ("turn_a", ["a"], []), None, id="and goes before a schedule"),
        pytest.param(lane(cron("c"), asked_at=NOW), [], ("turn_c", ["c"], []), None, id="which it has let go on"),
        pytest.param(lane(notice("n"), asked_at=NOW), [], ("turn_n", ["n"], []), None, id="like a notice elsewhere"),
        pytest.param(lane(asked_at=NOW), [cron("c")], ("", [], ["turn_c"]), MIDNIGHT, id="but not what comes later"),
    ],
)
def test_what_waits_when_the_day_has_cost_enough(
    found: Lane, coming: list[InboxRow], expected: tuple[str, list[str], list[str]], wait: Wait | None
) -> None:
    decision = SPENT_RULES.decide(replace(found, spent_usd=5.0), *coming)

    assert (shape(decision), decision.wait) == (expected, wait)


def test_below_the_cap_everything_opens() -> None:
    assert SPENT_RULES.decide(lane(spent_usd=4.99), cron("c")).opening is not None


def test_a_reached_spend_is_announced_once() -> None:
    known = {"wake_at": MIDNIGHT.until, "wake_reason": WakeReason.SPEND}

    assert SPENT_RULES.decide(lane(cron("c"), session=known, spent_usd=5.0)).wait is None


def test_the_hard_cap_alone_lets_wake_ups_wait_too() -> None:
    rules = replace(RULES, settings=EngineSettings(daily_spend_hard_usd=5.0))

    assert rules.decide(lane(spent_usd=5.0), notice("n")).wait == MIDNIGHT


def test_the_answer_that_reaches_the_cap_counts_before_the_next_wake_up_opens() -> None:
    answer = Step([], [], cost=Spend(usd=1.0))

    closing, decision = SPENT_RULES.close(lane(notice("n"), spent_usd=4.5), a_turn(), DONE, answer=answer, end=END)

    assert (closing.next, decision.wait) == (None, MIDNIGHT)


def test_company_is_waited_for_from_the_moment_of_the_notice_and_only_while_the_session_is_idle() -> None:
    idle = RULES.decide(lane(promised=frozenset({"k"})), notice("n"))
    busy = RULES.decide(lane(promised=frozenset({"k"}), session={"active": "t0"}), notice("n"))

    assert [waits.not_before for waits in (*idle.posted, *busy.posted)] == [NOW + 4, 0.0]


def test_an_opening_consumes_what_was_stored_and_posts_what_comes_in() -> None:
    opening = RULES.decide(lane(notice("n")), row("a")).opening

    assert opening is not None
    assert (opening.claimed, [new.turn_id for new in opening.posted]) == ((1,), ["turn_a"])
    assert [fact.kind for fact in opening.facts] == ["turn_started", "notice", "message"]
    assert (opening.turn.last_seq, opening.turn.node, opening.turn.epoch) == (3, "node1", 1)
    assert opening.releases_hold
    assert [new.claimed_by for new in opening.consumed] == ["turn_a"]


def test_a_summary_that_a_user_wants_ends_no_hold() -> None:
    opening = RULES.decide(lane(session={"is_held": True}), row("c", source=COMPACTION)).opening

    assert opening is not None
    assert not opening.releases_hold


def test_a_retry_counts_its_attempts_unless_something_new_comes_along() -> None:
    again, anew = RULES.decide(lane(retry("r"))).opening, RULES.decide(lane(retry("r")), notice("n")).opening

    assert again is not None
    assert anew is not None
    assert (again.turn.attempt, anew.turn.attempt) == (2, 0)


@pytest.mark.parametrize(("created_at", "latency"), [(NOW - 1, 1000), (NOW + 5, 0)])
def test_a_notice_says_how_long_it_was_under_way_even_if_the_clock_was_set_back(
    created_at: float, latency: int
) -> None:
    opening = RULES.decide(lane(), notice("n", created_at=created_at)).opening

    assert opening is not None
    assert opening.entries[0].data["notice"]["latency_ms"] == latency


def test_a_turn_has_the_model_that_was_asked_for_and_a_wakeup_that_of_its_session() -> None:
    said, woken = RULES.decide(lane(), row("a")).opening, RULES.decide(lane(), notice("n")).opening

    assert said is not None
    assert woken is not None
    assert (said.turn.model, said.turn.message_id, said.turn.is_wakeup) == ("demo:asked", "a", False)
    assert (woken.turn.model, woken.turn.message_id, woken.turn.is_wakeup) == ("demo:own", "", True)


@pytest.mark.parametrize(("from_checkpoint", "parent"), [(False, "t9"), (True, "t8")])
def test_a_turn_grows_from_the_last_one_or_from_the_last_that_completed(from_checkpoint: bool, parent: str) -> None:
    asked = row("a", payload=orjson.dumps({"text": "a", "from_checkpoint": from_checkpoint}))

    opening = RULES.decide(lane(session={"head": "t9", "checkpoint": "t8"}), asked).opening

    assert opening is not None
    assert opening.turn.parent == parent


def test_a_row_that_cannot_be_read_opens_a_turn_as_any_other() -> None:
    """The turn opens, fails and says why, so that the rows behind it do not wait for ever."""
    opening = RULES.decide(lane(row("bad", payload=b"[]"), row("good"))).opening

    assert opening is not None
    assert (opening.turn.id, opening.turn.request) == ("turn_bad", b"null")


@pytest.mark.parametrize(
    ("outcome", "by_user", "before", "after"),
    [
        (DONE, False, {"checkpoint": "t0"}, ("t1", False, False)),
        (DONE, False, {"is_blocked": True}, ("t1", False, False)),
        (DONE, False, {"is_held": True}, ("t1", True, False)),
        (FAILED, False, {"checkpoint": "t0"}, ("t0", False, False)),
        (FAILED, False, {"checkpoint": "t0", "is_blocked": True}, ("t0", False, True)),
        (Outcome(TurnStatus.FAILED, "model_auth", "no"), False, {}, (None, False, True)),
        (Outcome(TurnStatus.CANCELLED, "stopped", ""), True, {"checkpoint": "t0"}, ("t0", True, False)),
    ],
)
def test_what_an_end_leaves_of_its_session(
    outcome: Outcome, by_user: bool, before: dict[str, Any], after: tuple[str | None, bool, bool]
) -> None:
    busy = lane(session={"active": "t1", **before})

    closing, _ = RULES.close(busy, a_turn(), outcome, by_user=by_user, end=END)

    assert (closing.checkpoint, closing.is_held, closing.is_blocked) == after


def test_a_response_that_was_cut_is_no_checkpoint() -> None:
    cut = Outcome(TurnStatus.DONE, incomplete="max_output_tokens")
    response = a_turn(request=b'{"kind": "response"}')

    checkpoints = [RULES.close(lane(), turn, cut, end=END)[0].checkpoint for turn in (response, a_turn())]

    assert checkpoints == [None, "t1"]


def test_an_end_opens_the_next_turn_from_itself() -> None:
    closing, _ = RULES.close(lane(row("a"), session={"active": "t1"}), a_turn(), DONE, end=END)

    assert closing.next is not None
    assert (closing.next.turn.id, closing.next.turn.parent, closing.next.claimed) == ("turn_a", "t1", (1,))


def test_a_message_that_interrupts_comes_in_with_the_end() -> None:
    busy = lane(row("a"), session={"active": "t1"})
    urgent = row("b", is_urgent=True)

    closing, _ = RULES.close(busy, a_turn(), Outcome(TurnStatus.CANCELLED), end=END, arrivals=[urgent])

    assert closing.next is not None
    assert (closing.next.turn.id, closing.next.posted, closing.posted) == ("turn_b", (urgent,), ())


@pytest.mark.parametrize(
    ("turn", "not_before"),
    [
        (a_turn(is_wakeup=True), NOW + 8),
        (a_turn(is_wakeup=True, attempt=2), NOW + 32),
        (a_turn(is_wakeup=True, attempt=4), None),
        (a_turn(), None),
    ],
)
def test_a_wakeup_that_fails_in_passing_is_tried_again_later_and_not_for_ever(
    turn: Turn, not_before: float | None
) -> None:
    closing, _ = RULES.close(lane(session={"active": "t1"}), turn, FAILED, end=END)

    retries = [] if not_before is None else [(RowKind.RETRY, not_before)]
    assert [(new.kind, new.not_before) for new in closing.posted] == retries


def test_a_retry_rides_along_with_a_message_that_waits_already() -> None:
    closing, _ = RULES.close(lane(row("a"), session={"active": "t1"}), a_turn(is_wakeup=True), FAILED, end=END)

    assert closing.next is not None
    assert [new.kind for new in closing.next.posted] == [RowKind.RETRY]
    assert closing.posted == ()


def test_the_last_answer_is_recorded_before_the_end() -> None:
    usage = NewEvent("usage", b"{}")

    closing, _ = RULES.close(lane(session={"active": "t1"}), a_turn(), DONE, answer=Step([], [usage]), end=END)

    assert closing.facts == (usage, END)
