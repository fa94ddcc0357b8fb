"""Parses footnotes: `[^name]` in the text, `[^name]: words` at the start of a line. A footnote is shown where it is
defined, and footnotes are numbered in that order. Numbers are put into `data-note`; the page turns them into links
within the message.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_DEFINITION = re.compile(r"\[\^([^\]\s]{1,40})\]:[ \t]*(?=\S)")
_REFERENCE = re.compile(r"\[\^([^\]\s]{1,40})\]")
# The key in the parser's environment of the footnotes' numbers by name.
_NUMBERS = "footnotes"


def read_footnotes(parser: MarkdownIt) -> None:
    parser.block.ruler.before("reference", "footnote", _define, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.before("link", "footnote_ref", _refer)
    parser.add_render_rule("footnote_ref", _show_reference)
    parser.add_render_rule("footnote_open", _show_open)
    parser.add_render_rule("footnote_close", _show_close)


def _define(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    found = _DEFINITION.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if found is None or state.is_code_block(start):
        return False
    if silent:
        return True
    numbers: dict[str, int] = state.env.setdefault(_NUMBERS, {})
    number = numbers.setdefault(found[1].casefold(), len(numbers) + 1)
    after = _line_after(state, start, end)
    words = (
        state.src[found.end() : state.eMarks[start]] + "\n" + state.getLines(start + 1, after, state.blkIndent, False)
    )
    state.line = after
    _push(state, number, words.strip(), [start, after])
    return True


def _line_after(state: StateBlock, start: int, end: int) -> int:
    """Return the line after the footnote, which ends where a paragraph would."""
    rules = state.md.block.ruler.getRules("paragraph")
    line = start + 1
    while line < end and not state.isEmpty(line):
        if state.sCount[line] < state.blkIndent or any(rule(state, line, end, True) for rule in rules):
            break
        line += 1
    return line


def _push(state: StateBlock, number: int, words: str, lines: list[int]) -> None:
    token = state.push("footnote_open", "div", 1)
    token.meta, token.map = {"number": number}, lines
    inline = state.push("inline", "", 0)
    inline.content, inline.children = words, []
    state.push("footnote_close", "div", -1)


def _refer(state: StateInline, silent: bool) -> bool:
    found = _REFERENCE.match(state.src, state.pos, state.posMax)
    number = state.env.get(_NUMBERS, {}).get(found[1].casefold()) if found is not None else None
    if found is None or number is None:
        return False
    if not silent:
        state.push("footnote_ref", "sup", 0).meta = {"number": number}
    state.pos = found.end()
    return True


def _show_reference(self: Any, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    number = tokens[index].meta["number"]
    return f'<sup class="note" data-note="{number}">{number}</sup>'


def _show_open(self: Any, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    number = tokens[index].meta["number"]
    return f'<div class="footnote" data-note="{number}"><sup>{number}</sup> '


def _show_close(self: Any, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    return "</div>\n"
