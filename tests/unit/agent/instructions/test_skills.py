"""Skills: what their files must say, which of two counts, and what is told about a bad one."""

from pathlib import Path

import pytest

from wakeful.agent.instructions.front_matter import front_matter
from wakeful.agent.instructions.skills import find_skills, skills_section


def a_skill(folder: Path, name: str, text: str | None = None) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(text or f"---\nname: {name}\ndescription: From {folder.name}.\n---\n")


def test_the_workspace_wins(tmp_path: Path) -> None:
    a_skill(tmp_path / "home" / "skills", "one")
    a_skill(tmp_path / "work" / ".claude" / "skills", "one")
    a_skill(tmp_path / "work" / ".agents" / "skills", "two")

    skills = find_skills(tmp_path / "home", tmp_path / "work")

    assert [(skill.name, skill.path) for skill in skills] == [
        ("one", ".claude/skills/one/SKILL.md"),
        ("two", ".agents/skills/two/SKILL.md"),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Just words.", "must begin with a line ---"),
        ("---\nname: bad\ndescription: Never closed.\n", "must begin with a line ---"),
        ("---\nname: other\ndescription: Words.\n---\n", "must be that of its folder"),
        ("---\nname: bad\n---\n", "no description"),
        (f"---\nname: bad\ndescription: {'x' * 1_025}\n---\n", "1,025 characters"),
    ],
)
def test_a_bad_one_is_left_out_and_says_why(tmp_path: Path, text: str, why: str) -> None:
    a_skill(tmp_path / "skills", "bad", text)

    skills = find_skills(tmp_path, None)

    assert why in skills[0].error
    assert skills_section(skills) == ""


def test_a_description_may_have_1024_characters(tmp_path: Path) -> None:
    a_skill(tmp_path / "skills", "good", f"---\nname: good\ndescription: {'x' * 1_024}\n---\n")

    (skill,) = find_skills(tmp_path, None)

    assert (skill.error, len(skill.description)) == ("", 1_024)


def test_more_than_a_hundred_are_not_told(tmp_path: Path) -> None:
    for number in range(101):
        a_skill(tmp_path / "skills", f"skill-{number:03}")

    skills = find_skills(tmp_path, None)

    assert [skill.name for skill in skills if skill.error] == ["skill-100"]


def test_fields_may_be_quoted_folded_or_go_on_below() -> None:
    text = "---\nname: 'it''s'\ndescription: >-\n  First,\n  then.\nlicense: MIT # free\nmore: begins\n  and goes on\n"

    assert front_matter(f"{text}---\n") == {
        "name": "it's",
        "description": "First, then.",
        "license": "MIT",
        "more": "begins and goes on",
    }


def test_a_file_that_is_a_link_to_itself_costs_only_its_own_skill(tmp_path: Path) -> None:
    skills = tmp_path / "work" / ".agents" / "skills"
    a_skill(skills, "good")
    (skills / "bad").mkdir()
    (skills / "bad" / "SKILL.md").symlink_to("SKILL.md")

    found = find_skills(tmp_path / "home", tmp_path / "work")

    assert [(skill.name, bool(skill.error)) for skill in found] == [("bad", True), ("good", False)]


def test_a_bad_skill_of_the_workspace_hides_no_good_one(tmp_path: Path) -> None:
    a_skill(tmp_path / "home" / "skills", "one")
    a_skill(tmp_path / "work" / ".agents" / "skills", "one", "Just words.")
    a_skill(tmp_path / "home" / "skills", "two", "Just words.")
    a_skill(tmp_path / "work" / ".agents" / "skills", "two")

    found = find_skills(tmp_path / "home", tmp_path / "work")

    assert [(skill.path, skill.error) for skill in found] == [
        (str(tmp_path / "home" / "skills" / "one" / "SKILL.md"), ""),
        (".agents/skills/two/SKILL.md", ""),
    ]


def test_of_two_bad_ones_that_of_the_workspace_is_told(tmp_path: Path) -> None:
    a_skill(tmp_path / "home" / "skills", "one", "Just words.")
    a_skill(tmp_path / "work" / ".agents" / "skills", "one", "---\nname: one\n---\n")

    (skill,) = find_skills(tmp_path / "home", tmp_path / "work")

    assert skill.error == "It has no description."


def test_hidden_folders_and_files_are_no_skills(tmp_path: Path) -> None:
    a_skill(tmp_path / "skills", ".hidden")
    (tmp_path / "skills" / "README.md").write_text("words")
    (tmp_path / "skills" / "empty").mkdir()

    (skill,) = find_skills(tmp_path, None)

    assert (skill.name, skill.error) == ("empty", "There is no SKILL.md that can be read.")


@pytest.mark.parametrize(("name", "is_good"), [("a" * 64, True), ("a" * 65, False), ("Slides", False), ("a_b", False)])
def test_a_name_has_small_letters_digits_and_dashes(tmp_path: Path, name: str, is_good: bool) -> None:
    a_skill(tmp_path / "skills", name)

    (skill,) = find_skills(tmp_path, None)

    assert ("at most 64 characters" in skill.error) is not is_good


def test_bad_skills_do_not_count_against_the_good_ones(tmp_path: Path) -> None:
    a_skill(tmp_path / "skills", "a-bad-one", "Just words.")
    for number in range(100):
        a_skill(tmp_path / "skills", f"skill-{number:03}")

    skills = find_skills(tmp_path, None)

    assert [skill.name for skill in skills if skill.error] == ["a-bad-one"]
    assert skills_section(skills).count("\n- ") == 100
