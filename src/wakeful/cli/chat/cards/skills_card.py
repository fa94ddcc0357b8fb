"""The list of skills that the agent knows."""

from collections.abc import Mapping, Sequence
from typing import Any

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.plain_text import one_line

_HOW = "There are no skills yet: put one into skills/NAME/SKILL.md of the home, or .agents/skills/NAME/SKILL.md here."


def skills_card(skills: Sequence[Mapping[str, Any]]) -> Card:
    if not skills:
        return Card(Tone.QUIET, _HOW)
    return Card(Tone.QUIET, "The skills that the agent knows here:", lines=tuple(map(_line, skills)), is_prose=True)


def _line(skill: Mapping[str, Any]) -> str:
    said = f"left out: {skill['error']}" if skill["error"] else skill["description"]
    return one_line(f"{skill['name']}: {said} ({skill['path']})")
