"""A card: something beside the answer itself, in a few lines. It knows nothing of colours and terminals."""

from dataclasses import dataclass
from enum import StrEnum

# Before what a person says: in the prompt, and where it is shown.
USER_MARK = "❯"  # noqa: RUF001 - it is meant


class Tone(StrEnum):
    USER = "user"
    TOOL = "tool"
    WAKE = "wake"
    FAILURE = "failure"
    QUESTION = "question"
    # Remarks, and whatever else may be overlooked.
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Card:
    tone: Tone
    title: str
    # Less important, behind the title.
    note: str = ""
    lines: tuple[str, ...] = ()
    # Its lines are words to read, and are wrapped. Others are cut, a line for a line: programs write them.
    is_prose: bool = False

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
