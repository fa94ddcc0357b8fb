"""The tries to get past the gate that docs/gate.md lists: each row is run, and what it says is what happens."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.tools.commands.gate.kit import Grantor, failure_of
from tests.unit.tools.files.kit import write_tool
from tests.unit.tools.kit import tool_context
from wakeful.model.approvals.approval import Reason
from wakeful.model.approvals.mode import Mode
from wakeful.tools.base import Intent
from wakeful.tools.commands.gate.typing import Typing
from wakeful.tools.commands.judging import reasons_of_command, reasons_of_typing
from wakeful.tools.commands.request import TerminalRequest
from wakeful.tools.gate import Gate

MANUAL = Path(__file__).parents[5] / "docs" / "gate.md"
_CODE = re.compile(r"`([^`]*)`")


@dataclass(frozen=True)
class Try:
    number: str
    mode: Mode
    granted: frozenset[str]
    # What the call does: terminal, write_file, or types into.
    way: str
    texts: tuple[str, ...]
    happens: str


def _tries() -> list[Try]:
    found = []
    for line in MANUAL.read_text().splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 5 and cells[0].isdecimal():
            mode, *granted = cells[2].split(", ")
            texts = tuple(_CODE.findall(cells[3]))
            found.append(Try(cells[0], Mode(mode), frozenset(granted), cells[3].partition(" `")[0], texts, cells[4]))
    return found


TRIES = _tries()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for folder in ("ws/.git/hooks", "out", "home"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "out/f").touch()
    (tmp_path / "ws/link").symlink_to("../out")
    (tmp_path / "ws/secret").symlink_to("../home")
    (tmp_path / "ws/hooks").symlink_to(".git/hooks")
    return tmp_path / "ws"


def test_there_are_fifty() -> None:
    assert len(TRIES) >= 50


async def test_what_the_manual_says_of_a_try_is_what_happens(workspace: Path) -> None:
    happened = [(attempt.number, await _happens(attempt, workspace)) for attempt in TRIES]

    assert happened == [(attempt.number, attempt.happens) for attempt in TRIES]


async def _happens(attempt: Try, workspace: Path) -> str:
    person = Grantor(attempt.mode)
    person.granted, person.denies = set(attempt.granted), True
    reasons = await _reasons(attempt, workspace)
    failure = await failure_of(reasons, Gate(person, lambda turn: True), tool_context(workspace))
    asked = ", ".join(dict.fromkeys(reason.kind for question in person.asked for reason in question.reasons))
    refused = f"refused: {failure['code']}" if failure else "runs"
    return f"asks: {asked}" if asked else refused


async def _reasons(attempt: Try, workspace: Path) -> tuple[Reason, ...]:
    context, home = tool_context(workspace), workspace.parent / "home"
    texts = [_named(text, workspace) for text in attempt.texts]
    if attempt.way == "terminal":
        return await reasons_of_command(TerminalRequest(texts[0], workspace), context, home)
    if attempt.way == "write_file":
        intent = await write_tool(home=home).tool.intent({"path": texts[0], "content": "x"}, context)
        assert isinstance(intent, Intent)
        return intent.reasons
    program, before, new = texts
    return await reasons_of_typing(Typing(program, before, new), workspace, context, home)


def _named(text: str, workspace: Path) -> str:
    names: Mapping[str, object] = {
        "OUT": workspace.parent / "out",
        "HOME": workspace.parent / "home",
        "LINK": "link",
        "SECRET": "secret",
        "SERVER": os.getpid(),
    }
    text = text.replace("⏎", "\n").replace("^H", "\b")
    for name, value in names.items():
        text = re.sub(rf"(?<![A-Z_]){re.escape(name)}(?![A-Z_])", lambda _, value=value: str(value), text)  # type: ignore[misc]
    return text
