"""When a delegation has ended, how, and what its parent is told."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from tests.store.nouns import a_row, a_session, a_task, a_turn, an_input
from wakeful.engine.tasks.delegation_end import TIME_IS_OVER, delegation_outcome, failure_words
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.journal.entry import Entry, answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.session import Session
from wakeful.model.tasks.task import TaskKind, TaskOutcome, TaskStatus
from wakeful.model.turn import Turn

MESSAGE, NOTICE = a_row("m1"), a_row("n1", kind=RowKind.NOTICE)
DONE = a_session("child", head="t1", checkpoint="t1")
BROKEN = a_session("child", head="t1")
NEW = a_session("child")
HELD = a_session("child", head="t1", is_held=True)
BLOCKED = a_session("child", head="t1", is_blocked=True)
NOT_COMPLETE = "its last turn did not complete"


def said(turn_id: str, *texts: str) -> list[Entry]:
    """The journal of a turn: what it was asked, and its answers."""
    answers = [Answered(step, AssistantMessage(text), Usage(1, 1)) for step, text in enumerate(texts, 1)]
    return [an_input(turn_id, "count the sheep"), *(answer_entry(turn_id, answer) for answer in answers)]


class Records:
    """What a transaction reads about the child."""

    def __init__(
        self,
        pending: Sequence[InboxRow] = (),
        *,
        is_promised: bool = False,
        turns: Sequence[Turn] = (a_turn(),),
        journal: Sequence[Entry] = (),
    ) -> None:
        self.killed: list[str] = []
        self._turns = {turn.id: turn for turn in turns}
        self._journal = journal
        self.inbox = SimpleNamespace(pending=self._answer(list(pending)))
        self.tasks = SimpleNamespace(has_promised=self._answer(is_promised), intend_kill_if_running=self._kill)
        self.turns = SimpleNamespace(chain=self._chain, get=self._turn)
        self.journal = SimpleNamespace(of_turns=self._entries)

    def _answer(self, value: object) -> Any:
        async def read(session_id: str) -> object:
            assert session_id == "child"
            return value

        return read

    async def _kill(self, task_id: str) -> bool:
        self.killed.append(task_id)
        return True

    async def _chain(self, head: str, most: int) -> list[Turn]:
        return list(self._turns.values())[:most]

    async def _turn(self, turn_id: str) -> Turn | None:
        return self._turns.get(turn_id)

    async def _entries(self, turn_ids: Sequence[str]) -> list[Entry]:
        return [entry for entry in self._journal if entry.turn_id in turn_ids]


async def outcome_of(
    child: Session, records: Records | None = None, *, is_killed: bool = False, is_late: bool = False
) -> TaskOutcome | None:
    tx: Any = records or Records()
    task = a_task("del_1", kind=TaskKind.DELEGATION, command="count", kill_intended=is_killed)
    return await delegation_outcome(tx, task, child, is_late=is_late)


@pytest.mark.parametrize(
    ("child", "records", "is_late"),
    [
        (NEW, Records([MESSAGE]), False),
        (HELD, Records([MESSAGE]), False),
        (BLOCKED, Records([NOTICE, MESSAGE]), False),
        (BROKEN, Records([NOTICE]), False),
        (BROKEN, Records(is_promised=True), False),
        (DONE, Records([NOTICE]), False),
        (DONE, Records([MESSAGE], is_promised=True), False),
        (DONE, Records(is_promised=True), False),
    ],
)
async def test_it_goes_on_while_something_will_open_another_turn(
    child: Session, records: Records, is_late: bool
) -> None:
    assert await outcome_of(child, records, is_late=is_late) is None
    assert records.killed == []


@pytest.mark.parametrize("is_late", [True, False])
async def test_it_is_done_with_its_last_completed_turn_in_time_or_not(is_late: bool) -> None:
    outcome = await outcome_of(DONE, Records(journal=said("t1", "one", "42")), is_late=is_late)

    assert outcome is not None
    assert (outcome.status, outcome.exit_code, outcome.result) == (TaskStatus.EXITED, 0, "42")
    assert "Background delegation del_1 completed.\nGoal: count\nResult:\n42]" in outcome.notice


@pytest.mark.parametrize(
    ("child", "records", "reason"),
    [
        (BROKEN, Records(), NOT_COMPLETE),
        (NEW, Records(turns=()), NOT_COMPLETE),
        (BROKEN, Records(turns=()), NOT_COMPLETE),
        (BLOCKED, Records([NOTICE]), NOT_COMPLETE),
        (BLOCKED, Records(is_promised=True), NOT_COMPLETE),
        (BROKEN, Records(turns=[a_turn(error=b'{"message": "The key is wrong."}')]), "The key is wrong."),
    ],
)
async def test_it_has_failed_when_nothing_will_open_another_turn(child: Session, records: Records, reason: str) -> None:
    outcome = await outcome_of(child, records)

    assert outcome is not None
    assert (outcome.status, outcome.exit_code, outcome.result) == (TaskStatus.FAILED, None, reason)
    assert f"Background delegation del_1 failed.\nGoal: count\nResult:\n{reason}]" in outcome.notice
    assert records.killed == []


@pytest.mark.parametrize(
    ("child", "records"), [(NEW, Records([MESSAGE])), (DONE, Records([NOTICE])), (HELD, Records())]
)
async def test_it_has_failed_when_its_time_is_over_before_it_is_done(child: Session, records: Records) -> None:
    outcome = await outcome_of(child, records, is_late=True)

    assert outcome is not None
    assert (outcome.status, outcome.result) == (TaskStatus.FAILED, TIME_IS_OVER)


@pytest.mark.parametrize("child", [DONE, BROKEN, HELD])
async def test_it_was_killed_if_that_was_wanted_however_it_went(child: Session) -> None:
    outcome = await outcome_of(child, Records([MESSAGE], journal=said("t1", "half")), is_killed=True, is_late=True)

    assert outcome == TaskOutcome(TaskStatus.KILLED, None, "", "half")


async def test_a_person_who_stops_the_sub_agent_kills_the_delegation() -> None:
    records = Records([NOTICE], journal=said("t1", "half"))

    assert await outcome_of(HELD, records) == TaskOutcome(TaskStatus.KILLED, None, "", "half")
    assert records.killed == ["del_1"]


@pytest.mark.parametrize(
    ("turns", "journal", "answer"),
    [
        (["t2", "t1"], [*said("t1", "old"), *said("t2", "one", "two")], "two"),
        (["t2", "t1"], [*said("t1", "old"), *said("t2", "one", "")], "one"),
        (["t2", "t1"], [*said("t1", "old"), *said("t2", "")], "old"),
        (["t2", "t1"], [*said("t1"), *said("t2")], ""),
        ([f"t{number}" for number in range(21)], said("t19", "found"), "found"),
        ([f"t{number}" for number in range(21)], said("t20", "too old"), ""),
    ],
)
async def test_its_result_is_the_last_answer_with_words_of_its_latest_turns(
    turns: list[str], journal: list[Entry], answer: str
) -> None:
    outcome = await outcome_of(DONE, Records(turns=[a_turn(turn_id) for turn_id in turns], journal=journal))

    assert outcome is not None
    assert outcome.result == answer


def test_a_failure_without_last_words_is_its_reason_alone() -> None:
    assert failure_words("it broke", "") == "it broke"
    assert failure_words("it broke", "half") == "it broke\nIts last words:\nhalf"
