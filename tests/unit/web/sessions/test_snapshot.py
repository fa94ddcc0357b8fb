"""A session at one moment: what waits in it and why, what is being said, and where a stream goes on."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.store.nouns import a_row
from tests.unit.tools.kit import new_turn
from wakeful.model import event as events
from wakeful.model.approvals.mode import Mode
from wakeful.model.event import Event
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.packed_json import pack
from wakeful.model.session import Address, Marks, Session, WakeReason
from wakeful.model.words import Said, WordsHead
from wakeful.web.messages.messages import MessagePage
from wakeful.web.sessions.snapshot import Snapshot, queued_messages
from wakeful.web.web import Web

SESSION = Session("ses_1", "ann", Address("web"), last_seq=9)
TURN = new_turn(Path("/"))
QUIET = Snapshot(
    session=SESSION,
    parent=None,
    active=None,
    newest=None,
    words=None,
    page=MessagePage([], {}, has_more=False),
    marks=Marks(),
    pending=[],
    tasks=[],
    approvals=[],
    mode=Mode.ASK,
    now=100.0,
)


def shown(snapshot: Snapshot, window: int | None = None) -> Any:
    return snapshot.shown(cast(Web, SimpleNamespace(window_of=lambda model: window, model="demo:x", compact_at=0.8)))


def fact(kind: str, number: int = 7, **data: Any) -> Event:
    return Event("ses_1", number, TURN.id, 2, kind, pack(data), 5.0, None)


def row(name: str, kind: RowKind = RowKind.MESSAGE, **more: Any) -> InboxRow:
    payload = pack({"text": name, **({"notice": {"task_id": name}} if kind is RowKind.NOTICE else {})})
    return a_row(name, kind=kind, turn_id=f"turn_{name}", payload=payload, created_at=5.0, **more)


def test_messages_wait_in_the_order_in_which_they_will_be_answered() -> None:
    pending = [
        row("first"),
        row("notice", RowKind.NOTICE),
        row("joins", steers=True),
        row("now", is_urgent=True),
        row("last"),
    ]

    queued = queued_messages(pending)

    assert [(message.message, message.turn_id) for message in queued] == [
        ("now", "turn_now"),
        ("joins", "turn_joins"),
        ("first", "turn_first"),
        ("last", "turn_last"),
    ]
    assert queued[0].created_at == "1970-01-01T00:00:05.000Z"


@pytest.mark.parametrize(
    ("state", "why", "until"),
    [
        ({}, "busy", None),
        ({"is_held": True, "is_blocked": True}, "held", None),
        ({"is_blocked": True, "wake_at": 160.0}, "blocked", None),
        ({"wake_at": 160.0}, "budget", "1970-01-01T00:02:40.000Z"),
        ({"wake_at": 160.0, "wake_reason": WakeReason.SPEND}, "spend", "1970-01-01T00:02:40.000Z"),
        ({"wake_at": 40.0}, "busy", None),
    ],
)
def test_a_notice_that_waits_says_why_and_until_when(state: dict[str, Any], why: str, until: str | None) -> None:
    pending = [row("message"), row("notice", RowKind.NOTICE)]

    (waiting,) = shown(replace(QUIET, session=replace(SESSION, **state), pending=pending)).pending_notices

    assert (waiting.task_id, waiting.content, waiting.why, waiting.until) == ("notice", "notice", why, until)


def test_a_quiet_session_has_no_turn_and_its_stream_goes_on_after_its_last_event() -> None:
    found = shown(QUIET)

    assert (found.active, found.turns, found.last_event_id, found.cursor) == (None, {}, 9, "9")


def test_what_is_being_said_is_part_of_the_cursor() -> None:
    head, said = WordsHead("ses_1", TURN.id, 2, 7), Said("Hello", "hm", (-2, 2, 3))

    found = shown(replace(QUIET, active=TURN, newest=fact(events.USAGE), words=(head, said)))

    assert found.cursor == "9~7~3"
    assert (found.active.partial.step, found.active.partial.text, found.active.partial.reasoning) == (2, "Hello", "hm")
    assert found.active.compaction is None
    assert set(found.turns) == {TURN.id}
    assert shown(replace(QUIET, active=TURN, newest=fact(events.USAGE))).active.partial is None


def test_a_summary_that_is_being_made_is_shown_with_its_reason() -> None:
    newest = fact(events.COMPACTION_STARTED, step=3, reason="asked", context_tokens=90)

    compaction = shown(replace(QUIET, active=TURN, newest=newest)).active.compaction

    assert (compaction.step, compaction.reason, compaction.context_tokens) == (3, "asked", 90)
    assert compaction.started_at == "1970-01-01T00:00:05.000Z"


@pytest.mark.parametrize(("window", "compact_at"), [(None, None), (1001, 800)])
def test_a_session_says_when_it_will_be_summed_up_if_its_models_window_is_known(
    window: int | None, compact_at: int | None
) -> None:
    usage = shown(QUIET, window).session.usage

    assert (usage.context_window, usage.compact_at_tokens) == (window, compact_at)
