"""Skills: folders with instructions for one kind of work, which the agent reads when it applies."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wakeful.agent.instructions.beginning import beginning_of
from wakeful.agent.instructions.front_matter import front_matter

FILE = "SKILL.md"
# The folders in a workspace; of skills with the same name, the first one found counts.
_IN_WORKSPACE = (".agents/skills", ".claude/skills")
_NAME = re.compile("[a-z0-9-]{1,64}")
_LONGEST_DESCRIPTION = 1_024
_MOST_SKILLS = 100
# The fields stand at the beginning of the file.
_MOST_BYTES = 64 * 1024

_INTRODUCTION = """\
# Skills

Instructions for particular work. When one applies, read its file with read_file first; what it mentions lies beside \
it."""


@dataclass(frozen=True, slots=True)
class Skill:
    name: str
    description: str
    # As the agent names the file.
    path: str
    folder: Path
    # Why it is left out; empty: it is not.
    error: str = ""


def find_skills(home: Path, workspace: Path | None) -> list[Skill]:
    """Return the skills of the server and of a workspace, sorted by name, with those that cannot be used."""
    found: dict[str, Skill] = {}
    for skill in _all(home, workspace):
        known = found.get(skill.name)
        if known is None or (known.error and not skill.error):
            found[skill.name] = skill
    usable = 0
    skills = sorted(found.values(), key=lambda skill: skill.name)
    for number, skill in enumerate(skills):
        usable += not skill.error
        if not skill.error and usable > _MOST_SKILLS:
            skills[number] = replace(skill, error=f"There are more than {_MOST_SKILLS} skills: remove some.")
    return skills


def skills_section(skills: list[Skill]) -> str:
    """Return the list of the skills that can be used; empty if there are none."""
    lines = [f"- {skill.name}: {skill.description} ({skill.path})" for skill in skills if not skill.error]
    return "\n".join([f"{_INTRODUCTION}\n", *lines]) if lines else ""


def _all(home: Path, workspace: Path | None) -> Iterator[Skill]:
    """Yield the workspace's skills first: they win."""
    if workspace is not None:
        for name in _IN_WORKSPACE:
            for folder in _folders(workspace / name):
                yield _skill(folder, str((folder / FILE).relative_to(workspace)), within=workspace)
    for folder in _folders(home / "skills"):
        yield _skill(folder, str(folder / FILE))


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(folder for folder in parent.iterdir() if folder.is_dir() and not folder.name.startswith("."))
    except OSError:
        return []


def _skill(folder: Path, path: str, within: Path | None = None) -> Skill:
    bare = Skill(folder.name, "", path, folder.resolve())
    # Not Path.resolve, which raises where links lead in a circle.
    file = Path(os.path.realpath(folder / FILE))
    if within is not None and not file.is_relative_to(within.resolve()):
        return replace(bare, error=f"{path} leads out of the workspace.")
    found = beginning_of(folder / FILE, _MOST_BYTES)
    if found is None:
        return replace(bare, error=f"There is no {FILE} that can be read.")
    fields = front_matter(found.text)
    if fields is None:
        return replace(bare, error=f"{FILE} must begin with a line ---, the fields name and description, and ---.")
    description = " ".join(fields.get("description", "").split())
    return replace(bare, description=description, error=_problem(folder.name, fields.get("name", ""), description))


def _problem(folder: str, name: str, description: str) -> str:
    if name != folder:
        return f"Its name must be that of its folder, {folder}, and is {name[:80] or 'missing'}."
    if not _NAME.fullmatch(name):
        return "Its name may have a-z, 0-9 and -, and at most 64 characters."
    if not description:
        return "It has no description."
    if len(description) > _LONGEST_DESCRIPTION:
        return f"Its description has {len(description):,} characters, and {_LONGEST_DESCRIPTION:,} is the most."
    return ""
