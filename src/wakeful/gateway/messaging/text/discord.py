"""Markdown as Discord shows it: as it is, but headings become bold, and tables a code block."""

from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from wakeful.gateway.messaging.text.markdown import PARSER
from wakeful.gateway.messaging.text.table import table_text


def discord_text(markdown: str) -> str:
    lines = markdown.split("\n")
    for first, last, text in reversed(list(_replaced(PARSER.parse(markdown)))):
        lines[first:last] = text.split("\n")
    return "\n".join(lines).strip("\n")


def _replaced(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Yield the lines, first and after the last, that are written differently, and how."""
    for at, token in enumerate(tokens):
        if token.map is None or token.level:
            continue
        first, last = token.map
        if token.type == "heading_open":
            yield first, last, f"**{tokens[at + 1].content.replace('**', '')}**"
        elif token.type == "table_open":
            end = next(index for index in range(at, len(tokens)) if tokens[index].type == "table_close")
            yield first, last, f"```\n{table_text(tokens[at:end])}\n```"
