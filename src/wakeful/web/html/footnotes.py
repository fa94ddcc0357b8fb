"""Footnotes: `[^name]` in the text, `[^name]: words` at the start of a line. A footnote is shown where it was written,
with a number in the order of the text. Numbers are marked as data: the page that shows the text makes links of them,
inside of its own message.
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
# In the parser's environment: number by name.
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
    last = _last_line(state, start, end)
    words = (
        state.src[found.end() : state.eMarks[start]] + "\n" + state.getLines(start + 1, last, state.blkIndent, False)
    )
    state.line = last
    _push(state, number, words.strip(), [start, last])
    return True


def _last_line(state: StateBlock, start: int, end: int) -> int:
    """The line after it: as for a paragraph, until a blank line or something that ends one."""
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
    inline.content, inline.map, inline.children = words, lines, []
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
