"""A card: a few lines beside the answer, such as a tool call or a failure. It has no colours: the screen paints it."""

from dataclasses import dataclass
from enum import StrEnum

# Marks the user's words, in the prompt and on cards.
USER_MARK = "❯"  # noqa: RUF001 - this character is intended


class Tone(StrEnum):
    USER = "user"
    TOOL = "tool"
    WAKE = "wake"
    FAILURE = "failure"
    QUESTION = "question"
    # Remarks, and everything else that the user may overlook.
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Card:
    tone: Tone
    title: str
    # Shown dimmed after the title.
    note: str = ""
    lines: tuple[str, ...] = ()
    # Prose is wrapped. The output of programs is not: each line is cut at the width of the screen.
    is_prose: bool = False
    # Lines that begin with + or - are those of a diff.
    is_diff: bool = False

    @property
    def mark(self) -> str:
        return _MARKS[self.tone]


_MARKS = {
    Tone.USER: USER_MARK,
    Tone.TOOL: "▸",
    Tone.WAKE: "◆",
    Tone.FAILURE: "✗",
    Tone.QUESTION: "?",
    Tone.QUIET: "·",
}


def remark(text: str, *lines: str) -> Card:
    return Card(Tone.QUIET, text, lines=lines)


def failure(text: str) -> Card:
    return Card(Tone.FAILURE, text)
