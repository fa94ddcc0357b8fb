"""Turns URLs that stand in the text without markup into links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"'`\\]+", re.IGNORECASE)
# These characters more often follow a URL than end one.
_NOT_LAST = ".,;:!?*_~'\""
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def link_bare_addresses(state: StateCore) -> None:
    for token in state.tokens:
        if token.children and "://" in token.content:
            token.children = list(_linked(token.children))


def _linked(children: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in children:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type == "text" and depth == 0:
            yield from _pieces(token)
        else:
            yield token


def _pieces(text: Token) -> Iterator[Token]:
    from markdown_it.token import Token

    def words(content: str) -> Token:
        return Token("text", "", 0, content=content)

    position = 0
    for found in _ADDRESS.finditer(text.content):
        address = _without_tail(found[0])
        yield words(text.content[position : found.start()])
        yield Token("link_open", "a", 1, attrs={"href": address})
        yield words(address)
        yield Token("link_close", "a", -1)
        position = found.start() + len(address)
    yield words(text.content[position:])


def _without_tail(address: str) -> str:
    """Remove punctuation that ends the sentence, and closing brackets that were not opened inside the URL."""
    counts = {bracket: address.count(bracket) for pair in _BRACKETS.items() for bracket in pair}
    end = len(address)
    while end:
        last = address[end - 1]
        if last in _BRACKETS and counts[last] > counts[_BRACKETS[last]]:
            counts[last] -= 1
        elif last not in _NOT_LAST:
            break
        end -= 1
    return address[:end]
