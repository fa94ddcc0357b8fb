"""The gate: which reasons count in which mode, and what a refused call is told."""

import asyncio
from pathlib import Path

import pytest

from tests.unit.tools.commands.gate.kit import Grantor, failure_of
from tests.unit.tools.kit import Person, gate_of, tool_context
from wakeful.model.approvals.approval import Choice, Reason
from wakeful.model.approvals.mode import Mode
from wakeful.tools.gate import Gate

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


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("edit", "(accept_edits allows it, ask asks first). Go on by reading alone, or tell the user which mode"),
        ("command", "(accept_edits allows it, ask asks first)."),
        ("home", "(ask and accept_edits ask about it)."),
        ("delete_outside", "(ask and accept_edits ask about it)."),
        ("input", "(all others allow it)."),
    ],
)
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


async def test_where_nobody_can_be_asked_the_call_is_told_so_unless_all_of_it_was_granted(tmp_path: Path) -> None:
    person = Grantor(Mode.ASK)
    gate, reasons = Gate(person, lambda turn: False), [Reason("edit", "changes a"), Reason("command", "does more")]

    refused = await failure_of(reasons, gate, tool_context(tmp_path))
    person.granted = {"edit"}
    in_part = await failure_of(reasons, gate, tool_context(tmp_path))
    person.granted = {"edit", "command"}

    assert refused["code"] == in_part["code"] == "nobody_to_ask"
    assert refused["error"].startswith(
        "This command changes a; does more, and here no person can be asked to allow it."
    )
    assert in_part["error"].startswith("This command does more, and here no person can be asked to allow it.")
    assert await failure_of(reasons, gate, tool_context(tmp_path)) == {}


@pytest.mark.parametrize(
    ("choice", "code", "words"),
    [
        (None, "expired", "This command changes a, and no person allowed it within 60 s. Do it in another way, or ask"),
        (Choice.DENY, "denied", "This command changes a, and a person has denied it. Do not try it again in another"),
    ],
)
async def test_a_question_without_a_yes_refuses_the_call(
    tmp_path: Path, choice: Choice | None, code: str, words: str
) -> None:
    gate = gate_of(Person(choice, mode=Mode.ASK))

    failure = await failure_of([Reason("edit", "changes a")], gate, tool_context(tmp_path))

    assert failure["code"] == code
    assert failure["error"].startswith(words)


@pytest.mark.parametrize("choice", [Choice.ONCE, Choice.SESSION, Choice.FOLDER])
async def test_every_yes_lets_it_run(tmp_path: Path, choice: Choice) -> None:
    gate = gate_of(Person(choice, mode=Mode.ASK))

    assert await failure_of([Reason("edit", "changes a")], gate, tool_context(tmp_path)) == {}


async def test_what_a_call_holds_is_let_go_when_it_ends(tmp_path: Path) -> None:
    for choice in (Choice.DENY, Choice.ONCE):
        context, lock = tool_context(tmp_path), asyncio.Lock()
        await context.held.enter_async_context(lock)
        await failure_of([Reason("edit", "x")], gate_of(Person(choice, mode=Mode.ASK)), context)
        assert not lock.locked()


@pytest.mark.parametrize("is_still_asked", [True, False])
async def test_a_call_that_waits_for_its_answer_has_done_nothing_yet(tmp_path: Path, is_still_asked: bool) -> None:
    gate = gate_of(Person(None, is_still_asked=is_still_asked))

    assert await gate.is_waiting(tool_context(tmp_path)) is is_still_asked


async def test_a_question_of_before_a_crash_counts_whatever_the_mode_is_now(tmp_path: Path) -> None:
    for mode in Mode:
        person = Person(Choice.DENY, is_still_asked=True, mode=mode)
        failure = await failure_of([Reason("edit", "x")], gate_of(person), tool_context(tmp_path))
        assert (failure["code"], len(person.asked)) == ("denied", 1)
