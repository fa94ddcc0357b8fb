"""Parses the few harmless HTML tags that people write in Markdown: inline `<kbd>`, `<sub>`, `<sup>` and `<br>`, and
`<details>` and `<summary>` on separate lines. The only attribute is `open`. Every other tag is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from html import escape, unescape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_IN_LINE = re.compile(r"<(?P<tag>kbd|sub|sup)>(?P<words>[^<>\n]{1,200})</(?P=tag)>|<br ?/?>")
_OPEN = re.compile(r"<details( open)?>[ \t]*(?:<summary>(.{1,500})</summary>)?[ \t]*")
_SUMMARY = re.compile(r"<summary>(.{1,500})</summary>[ \t]*")
_CLOSE = re.compile(r"</details>[ \t]*")
# Levels of nested details; deeper ones are text.
_DEEPEST = 10


def read_harmless_tags(parser: MarkdownIt) -> None:
    parser.inline.ruler.before("autolink", "harmless_tag", _in_line)
    parser.block.ruler.before("fence", "details", _details, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.core.ruler.after("block", "pair_details", _pair_details)
    parser.add_render_rule("harmless_tag", _show)


def _in_line(state: StateInline, silent: bool) -> bool:
    found = _IN_LINE.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent and found["tag"] is None:
        state.push("hardbreak", "br", 0)
    elif not silent:
        state.push("harmless_tag", found["tag"], 0).content = unescape(found["words"])
    state.pos = found.end()
    return True


def _show(self: Any, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    token = tokens[index]
    return f"<{token.tag}>{escape(token.content, quote=False)}</{token.tag}>"


def _details(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Make tokens of single lines. `_pair_details` finds the pairs when all lines are parsed."""
    span = (state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if state.is_code_block(start) or state.src[span[0] : span[0] + 1] != "<":
        return False
    opening, closing = _OPEN.fullmatch(state.src, *span), _CLOSE.fullmatch(state.src, *span)
    summary = _SUMMARY.fullmatch(state.src, *span) if _awaits_summary(state) else None
    if not (opening or closing or summary):
        return False
    if silent:
        return True
    state.line = start + 1
    if opening:
        _push_open(state, opening, start)
    elif summary:
        _push_summary(state, summary[1])
    else:
        state.push("details_close", "details", 0).map = [start, state.line]
    return True


def _awaits_summary(state: StateBlock) -> bool:
    return bool(state.tokens) and state.tokens[-1].type == "details_open"


def _push_open(state: StateBlock, opening: re.Match[str], line: int) -> None:
    token = state.push("details_open", "details", 0)
    token.map, token.content = [line, state.line], opening[0].strip()
    if opening[1]:
        token.attrSet("open", "")
    if opening[2]:
        _push_summary(state, opening[2])


def _push_summary(state: StateBlock, words: str) -> None:
    state.push("summary_open", "summary", 1)
    inline = state.push("inline", "", 0)
    inline.content, inline.children = words.strip(), []
    state.push("summary_close", "summary", -1)


def _pair_details(state: StateCore) -> None:
    """Close every open tag, at the latest where the quote, list or text around it ends."""
    state.tokens = list(_paired(state.tokens))


def _paired(tokens: Sequence[Token]) -> Iterator[Token]:
    open_at: list[int] = []
    for token in tokens:
        while open_at and token.level < open_at[-1]:
            yield _closing(open_at)
        if token.type == "details_open" and len(open_at) < _DEEPEST:
            token.nesting, token.level = 1, token.level + len(open_at)
            open_at.append(token.level - len(open_at))
            yield token
        elif token.type == "details_close" and open_at and open_at[-1] == token.level:
            yield _closing(open_at)
        elif token.type in ("details_open", "details_close"):
            yield from _as_text(token, len(open_at))
        else:
            token.level += len(open_at)
            yield token
    while open_at:
        yield _closing(open_at)


def _closing(open_at: list[int]) -> Token:
    from markdown_it.token import Token

    level = open_at.pop()
    return Token("details_close", "details", -1, level=level + len(open_at), block=True)


def _as_text(token: Token, depth: int) -> Iterator[Token]:
    from markdown_it.token import Token

    level = token.level + depth
    yield Token("paragraph_open", "p", 1, level=level, map=token.map, block=True)
    content = token.content or "</details>"
    yield Token("inline", "", 0, level=level + 1, content=content, children=[], block=True)
    yield Token("paragraph_close", "p", -1, level=level, block=True)
