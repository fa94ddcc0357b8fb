"""Paints the lines above the prompt that are not final: the unfinished answer, running calls, waiting messages."""

from collections.abc import Iterable
from time import monotonic

from rich.text import Text

from wakeful.cli.chat.cards.card import USER_MARK
from wakeful.cli.chat.screens.painter import Painter
from wakeful.cli.chat.screens.screen import AnswerDraft
from wakeful.cli.chat.standing import Standing
from wakeful.cli.plain_text import duration, harmless, one_line

# Most characters of an unfinished block that are painted: there is room only for its end.
_PAINTED = 4_000
_THOUGHT_LINES = 2
_WAITING = 3


def draft_lines(
    painter: Painter, draft: AnswerDraft, work: Iterable[str], standing: Standing, height: int
) -> list[str]:
    """Return the painted lines, at most `height`. `work` has a line for each running sub-agent."""
    agents = [painted for line in work for painted in _one_line(painter, Text(line, "dim"))]
    below = [*_calls(painter, draft), *agents, *_waiting(painter, standing)][: max(1, height // 2)]
    above = [*_thought(painter, draft), *_answer(painter, draft)]
    if not above and not draft.calls and standing.is_busy and not standing.approvals:
        above = painter.paint(Text("…", "dim")).splitlines()
    gap = [""] if above and below else []
    room = height - len(below) - len(gap)
    return [*above[-room:], *gap, *below] if room > 0 else below


def _answer(painter: Painter, draft: AnswerDraft) -> list[str]:
    text = draft.text
    if not text.strip():
        return []
    if len(text) > _PAINTED:
        # Keep the line that opened a code block, or the rest is painted as prose.
        opening = text.split("\n", 1)[0] + "\n" if text.startswith(("```", "~~~")) else ""
        text = opening + text[-_PAINTED:].partition("\n" if opening else " ")[2]
    return painter.answer(text).splitlines()


def _thought(painter: Painter, draft: AnswerDraft) -> list[str]:
    words = harmless(draft.thought[-_PAINTED:]).strip()
    return painter.paint(Text(words, "dim")).splitlines()[-_THOUGHT_LINES:] if words else []


def _calls(painter: Painter, draft: AnswerDraft) -> list[str]:
    now = monotonic()
    lines = [
        Text.assemble(("▸ ", "bold"), title, (f"  {duration(int(now - since))}", "dim"))
        for title, since in draft.calls.values()
    ]
    return [painted for line in lines for painted in _one_line(painter, line)]


def _waiting(painter: Painter, standing: Standing) -> list[str]:
    words = [*(row["message"] for row in standing.queued), *standing.unsent]
    lines = [f"{USER_MARK} {one_line(text)}  (waits)" for text in words[:_WAITING]]
    if len(words) > _WAITING:
        lines.append(f"  and {len(words) - _WAITING} more")
    return [painted for line in lines for painted in _one_line(painter, Text(line, "dim"))]


def _one_line(painter: Painter, line: Text) -> list[str]:
    line.no_wrap, line.overflow = True, "ellipsis"
    return painter.paint(line).splitlines()
