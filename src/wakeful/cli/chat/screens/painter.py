"""Paints cards and Markdown for a terminal: coloured text, fitted to its width."""

import io
from collections.abc import Iterable
from functools import cache
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, RenderableType
from rich.markdown import Heading, Markdown
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.plain_text import harmless

# Only the terminal's palette, which suits both light and dark backgrounds.
_TITLES = {
    Tone.USER: "bold cyan",
    Tone.TOOL: "bold",
    Tone.WAKE: "bold magenta",
    Tone.FAILURE: "red",
    Tone.QUESTION: "bold yellow",
    Tone.QUIET: "dim",
}
_LINES = {Tone.USER: "bold cyan", Tone.QUESTION: "", Tone.FAILURE: ""}
_DIFF = {"+": "green", "-": "red", "@": "cyan"}
_THEME = Theme(
    {
        "markdown.code": "cyan",
        "markdown.h1": "bold underline",
        "markdown.h2": "bold underline",
        "markdown.h3": "bold",
        "markdown.item.bullet": "dim",
        "markdown.item.number": "dim",
        "markdown.block_quote": "dim",
        "markdown.link_url": "dim underline",
    }
)


class Painter:
    def __init__(self, width: int) -> None:
        """rich's console respects NO_COLOR."""
        self.width = width
        self._console = Console(
            file=io.StringIO(), force_terminal=True, width=width, theme=_THEME, highlight=False, legacy_windows=False
        )

    def card(self, card: Card) -> str:
        return self.paint(_card(card))

    def answer(self, block: str) -> str:
        return self.paint(_Answer(block))

    def paint(self, content: RenderableType) -> str:
        """Return whole lines, without any control characters except our colours."""
        lines = _trimmed(Segment.split_lines(_clean(self._console.render(content))))
        with self._console.capture() as captured:
            self._console.print(Segments([segment for line in lines for segment in (*line, Segment.line())]), end="")
        return captured.get()


def _card(card: Card) -> RenderableType:
    title = Text(card.title, _TITLES[card.tone], overflow="fold")
    if card.note:
        title = Text.assemble(title, (f"  {card.note}", "dim"), overflow="fold")
    how: dict[str, Any] = {"overflow": "fold"} if card.is_prose else {"overflow": "ellipsis", "no_wrap": True}
    style = _LINES.get(card.tone, "dim")
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    grid.add_row(Text(card.mark, _TITLES[card.tone]), title)
    for line in card.lines:
        grid.add_row("", Text(line, _DIFF.get(line[:1], style) if card.is_diff else style, **how))
    return grid


class _Heading(Heading):
    """A left-aligned heading; rich centres them."""

    def __rich_console__(self, console: object, options: object) -> Iterable[RenderableType]:
        yield self.text


class _Answer(Markdown):
    elements: ClassVar = Markdown.elements | {"heading_open": _Heading}

    def __init__(self, block: str) -> None:
        super().__init__("", code_theme="ansi_dark", hyperlinks=False)
        self.parsed = _parser().parse(block)
        for token in self.parsed:
            for child in token.children or ():
                # Models mean the line breaks that they write.
                child.type = "hardbreak" if child.type == "softbreak" else child.type


@cache
def _parser() -> MarkdownIt:
    # HTML is shown as text.
    return MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])


def _clean(segments: Iterable[Segment]) -> Iterable[Segment]:
    for text, style, control in segments:
        if control is None:
            yield Segment(harmless(text), style)


def _trimmed(lines: Iterable[list[Segment]]) -> list[list[Segment]]:
    """Remove blank lines at both ends, and the spaces that pad lines: a narrower terminal would wrap them."""
    trimmed = [_without_trailing_blanks(line) for line in lines]
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    while trimmed and not trimmed[0]:
        trimmed.pop(0)
    return trimmed


def _without_trailing_blanks(line: list[Segment]) -> list[Segment]:
    while line and not line[-1].text.strip():
        line = line[:-1]
    return [*line[:-1], Segment(line[-1].text.rstrip(), line[-1].style)] if line else []
