"""The gate: which reasons count in which mode, and what a refused call is told."""

from pathlib import Path

import pytest

from tests.unit.tools.commands.gate.kit import failure_of
from tests.unit.tools.kit import Person, gate_of, tool_context
from wakeful.model.approvals.approval import Choice, Reason
from wakeful.model.approvals.mode import Mode

# What happens to a call with a reason of this kind, by mode: `read_only` refuses, `asks`, or it runs.
TABLE = [
    ("edit", "read_only", "asks", "runs", "runs"),
    ("command", "read_only", "asks", "runs", "runs"),
    ("delete_outside", "read_only", "asks", "asks", "runs"),
    ("runs_later", "read_only", "asks", "asks", "runs"),
    ("unclear", "read_only", "asks", "asks", "runs"),
    ("mcp:files", "read_only", "asks", "asks", "runs"),
    ("home", "read_only", "asks", "asks", "asks"),
    ("input", "read_only", "runs", "runs", "runs"),
]
CASES = [(kind, mode, what) for kind, *row in TABLE for mode, what in zip(Mode, row, strict=True)]


@pytest.mark.parametrize(("kind", "mode", "what"), CASES)
async def test_the_mode_decides_what_is_asked_about(kind: str, mode: Mode, what: str, tmp_path: Path) -> None:
    person = Person(Choice.DENY, mode=mode)

    failure = await failure_of([Reason(kind, "does it")], gate_of(person), tool_context(tmp_path))

    happened = {"": "runs", "denied": "asks"}.get(failure.get("code", ""), failure.get("code"))
    assert happened == what
    assert len(person.asked) == (what == "asks")


@pytest.mark.parametrize("mode", Mode)
async def test_a_call_that_only_reads_runs_in_every_mode(mode: Mode, tmp_path: Path) -> None:
    assert await failure_of([], gate_of(Person(None, mode=mode)), tool_context(tmp_path)) == {}


@pytest.mark.parametrize(("kind", "words"), [("edit", "accept_edits allows it"), ("home", "ask and accept_edits ask")])
async def test_what_is_refused_for_reading_only_says_which_mode_allows_it(
    kind: str, words: str, tmp_path: Path
) -> None:
    gate = gate_of(Person(None, mode=Mode.READ_ONLY))

    failure = await failure_of([Reason(kind, "changes a.txt", "a.txt")], gate, tool_context(tmp_path))

    assert failure["code"] == "read_only"
    assert failure["error"].startswith("This command changes a.txt, and this session's mode is read_only")
    assert words in failure["error"]


@pytest.mark.parametrize("mode", [Mode.ASK, Mode.ACCEPT_EDITS, Mode.EVERYTHING])
@pytest.mark.parametrize("is_unasked", [True, False])
async def test_memory_is_asked_about_where_no_person_has_begun_the_turn(
    mode: Mode, is_unasked: bool, tmp_path: Path
) -> None:
    person = Person(Choice.DENY, mode=mode, is_unasked=is_unasked)

    await failure_of([Reason("memory", "changes it")], gate_of(person), tool_context(tmp_path))

    assert len(person.asked) == (is_unasked and mode is not Mode.EVERYTHING)


async def test_reading_only_does_not_call_a_turn_unasked_that_a_person_has_begun(tmp_path: Path) -> None:
    gate = gate_of(Person(None, mode=Mode.READ_ONLY))
    reasons = [Reason("memory", "changes it in a turn that no person has begun"), Reason("edit", "changes it")]

    failure = await failure_of(reasons, gate, tool_context(tmp_path))

    assert failure["error"].startswith("This command changes it, and this session's mode is read_only (accept_edits")


async def test_where_nobody_can_be_asked_the_call_is_told_so(tmp_path: Path) -> None:
    gate = gate_of(Person(None, mode=Mode.ASK), can_ask=False)

    assert (await failure_of([Reason("edit", "x")], gate, tool_context(tmp_path)))["code"] == "nobody_to_ask"


async def test_a_question_of_before_a_crash_counts_whatever_the_mode_is_now(tmp_path: Path) -> None:
    for mode in Mode:
        person = Person(Choice.DENY, is_still_asked=True, mode=mode)
        failure = await failure_of([Reason("edit", "x")], gate_of(person), tool_context(tmp_path))
        assert (failure["code"], len(person.asked)) == ("denied", 1)
