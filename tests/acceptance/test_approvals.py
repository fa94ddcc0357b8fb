"""Questions as people answer them: by a key in the chat, and from another terminal."""

import json
from pathlib import Path

import pytest

from tests.acceptance.command import Command, until
from tests.acceptance.terminal import CTRL_D, in_terminal

_READY = "● live"
_ASKS = "asks before it runs this"


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    folder = tmp_path / "precious"
    folder.mkdir()
    return folder


async def test_a_key_in_an_empty_line_answers_the_question_that_is_shown(wakeful: Command, precious: Path) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter(f"run rm -rf {precious}")
        await terminal.see(_ASKS)
        await terminal.see("y allows it once, n denies it")
        await terminal.see("/allow folder: The same kinds")

        # Keys pressed just as a question appears are ignored, so the key is typed until one counts.
        async def is_denied() -> bool:
            terminal.type("n\x7f")
            return "Denied." in terminal.text

        await until(is_denied)
        assert precious.exists()

        terminal.type(CTRL_D)
        assert await terminal.end() == 0


async def test_what_is_asked_is_listed_and_answered_from_another_terminal_and_the_grant_revoked(
    wakeful: Command, precious: Path
) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter(f"run rm -rf {precious}")
        await terminal.see(_ASKS)

        listed = await wakeful.run("approvals")
        name = listed.out.split()[0]
        allowed = await wakeful.run("approvals", "allow", name, "--folder")
        await terminal.see("Allowed for this folder.")
        again = await wakeful.run("approvals", "deny", name)

        assert f"$ rm -rf {precious}" in listed.out
        assert allowed.out.startswith("Allowed for the folder.\nThe same kinds, in all your sessions in ")
        assert again.err == f"wakeful: There is no question {name}.\n"

        granted = await wakeful.run("grants")
        revoked = await wakeful.run("grants", "revoke", granted.out.split()[0])
        left = await wakeful.run("grants", "--json")

        assert f"Calls that delete outside of the folder, in {wakeful.folder} and below, until " in granted.out
        assert "not used yet; allowed for: rm -rf" in granted.out
        assert revoked.out.startswith("Revoked: calls that delete outside of the folder are asked about again in ")
        assert json.loads(left.out) == []

        terminal.type(CTRL_D)
        assert await terminal.end() == 0
