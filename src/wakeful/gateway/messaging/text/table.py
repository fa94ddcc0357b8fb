"""Tables as plain text: columns of equal width, for platforms that show none."""

from collections.abc import Sequence

from markdown_it.token import Token


def table_text(tokens: Sequence[Token]) -> str:
    rows = _rows(tokens)
    # The parser gives all rows as many cells as the first.
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _rows(tokens: Sequence[Token]) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_words(token))
    return rows


def _words(cell: Token) -> str:
    return "".join(token.content for token in cell.children or [] if token.type in ("text", "code_inline"))
