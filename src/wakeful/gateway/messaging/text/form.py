"""A form of text that a platform shows: how Markdown is written there, and how much of it fits into one message."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextForm:
    # The text of one message at most, in UTF-16 units: what one platform counts, and no less than what others do.
    limit: int
    # Markdown in the platform's own markup.
    render: Callable[[str], str]
    # What of the rendered text counts.
    counted: Callable[[str], str] = str

    def fits(self, markdown: str) -> bool:
        return units(self.counted(self.render(markdown))) <= self.limit


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
