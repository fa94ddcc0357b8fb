"""The system prompt: the sections in their order, limits that are said, and nothing from outside."""

import os
from pathlib import Path

from tests.unit.tools.kit import new_turn
from wakeful.agent.prompt import INSTRUCTIONS, Prompts
from wakeful.model.system_prompt import SystemPrompt

OPERATOR = "operator"


async def prompt(home: Path, workspace: Path, owner: str = OPERATOR, *, has_memory: bool = True) -> SystemPrompt:
    return await Prompts(home, OPERATOR, lambda turn: has_memory).make(new_turn(workspace), owner)


def a_skill(folder: Path, name: str, description: str = "Make slides.") -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\nThe rest.")


async def test_the_sections_stand_in_their_order(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    a_skill(home / "skills", "slides")
    work.mkdir()
    (home / "instructions.md").write_text("Answer in verse.")
    (home / "memory.md").write_text("Her cat is called Mia.")
    (work / "AGENTS.md").write_text("Use tabs.")

    found = await prompt(home, work)

    parts = (
        INSTRUCTIONS.strip(),
        "Answer in verse.",
        "Her cat is called Mia.",
        "Use tabs.",
        "- slides: Make slides. (",
    )
    places = [found.text.index(part) for part in parts]
    assert places == sorted(places)
    assert found.memory == str(home / "memory.md")
    assert found.skills == (str(home / "skills" / "slides"),)


async def test_a_longer_file_is_cut_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "instructions.md").write_text("ü" * 10_000)

    found = await prompt(tmp_path, tmp_path / "nowhere")

    assert "ü" * 8_192 + "\n[Cut: instructions.md has 20,000 bytes" in found.text
    assert "�" not in found.text


async def test_each_holder_of_a_key_has_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "people" / "ada").mkdir(parents=True)
    (tmp_path / "people" / "ada" / "instructions.md").write_text("Be brief.")
    (tmp_path / "instructions.md").write_text("Be long.")

    found = await prompt(tmp_path, tmp_path / "nowhere", "ada")

    assert "Be brief." in found.text
    assert "Be long." not in found.text
    assert found.memory == str(tmp_path / "people" / "ada" / "memory.md")
    # A name of dots must not lead to the operator's files.
    assert "Be long." not in (await prompt(tmp_path, tmp_path / "nowhere", "..")).text


async def test_a_chat_of_others_has_no_memory(tmp_path: Path) -> None:
    (tmp_path / "memory.md").write_text("Her cat is called Mia.")

    found = await prompt(tmp_path, tmp_path / "nowhere", has_memory=False)

    assert "Mia" not in found.text
    assert found.memory == ""
    assert "Mia" in (await Prompts(tmp_path, OPERATOR).make(new_turn(tmp_path / "nowhere"), OPERATOR)).text


async def test_the_folders_up_to_the_repository_are_read_the_outermost_first(tmp_path: Path) -> None:
    work = tmp_path / "repository" / "part"
    work.mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("Not yours.")
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "repository" / "CLAUDE.md").write_text("Outer.")
    (work / "AGENTS.md").write_text("Inner.")
    (work / "CLAUDE.md").write_text("Hidden by the other one.")

    text = (await prompt(tmp_path / "home", work)).text

    assert text.index("Outer.") < text.index("Inner.")
    assert "Not yours." not in text
    assert "Hidden" not in text


async def test_without_a_repository_the_workspace_alone_is_read(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "AGENTS.md").write_text("Not yours.")

    assert "Not yours." not in (await prompt(tmp_path / "home", tmp_path / "work")).text


async def test_all_files_of_the_folder_share_one_limit(tmp_path: Path) -> None:
    work = tmp_path / "part"
    work.mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "AGENTS.md").write_text("a" * 30_000)
    (work / "AGENTS.md").write_text("b" * 30_000)

    text = (await prompt(tmp_path / "home", work)).text

    assert "a" * 30_000 in text
    assert f"{'b' * 2_768}\n[Cut: AGENTS.md has 30,000 bytes" in text


async def test_links_that_lead_out_and_pipes_are_passed_over(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "key").write_text("sk-secret")
    (work / "AGENTS.md").symlink_to(tmp_path / "key")
    a_skill(tmp_path / "elsewhere", "leak", "sk-secret")
    (work / ".agents" / "skills").mkdir(parents=True)
    (work / ".agents" / "skills" / "leak").symlink_to(tmp_path / "elsewhere" / "leak")
    (tmp_path / "home").mkdir()
    os.mkfifo(tmp_path / "home" / "instructions.md")

    assert "sk-secret" not in (await prompt(tmp_path / "home", work)).text


async def test_a_binary_file_is_not_the_folders_words_and_memory_keeps_what_can_be_read(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    (work / "AGENTS.md").write_bytes(b"\x7fELF\0\0")
    (home / "memory.md").write_bytes(b"Likes \0 tea.")

    text = (await prompt(home, work)).text

    assert "ELF" not in text
    assert "Likes \ufffd tea." in text
