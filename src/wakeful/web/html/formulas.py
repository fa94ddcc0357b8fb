"""Parses formulas in Markdown: `$…$` and `\\(…\\)` inline, `$$…$$` and `\\[…\\]` as blocks.

Prose is full of dollars, so text that may be money or words stays as it is written. A formula that cannot be read is
shown as code.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from wakeful.web.html.mathematics import LONGEST_FORMULA, mathml

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

# Characters of formulas per text, which bounds the time. Further formulas are shown as code.
_MOST_CHARACTERS = 4_000
_LEFT = "formula characters left"
_MOST_LINES = 60

# A body cannot contain an opener, so that a text full of openers is scanned once.
_BODY = rf"{{1,{LONGEST_FORMULA}}}?"
_IN_LINE = re.compile(
    rf"\$\$(?P<display>(?:[^$\\`]|\\.){_BODY})\$\$"
    rf"|\$(?![\s$])(?P<dollars>(?:[^$\\`\n]|\\[^\n]){_BODY})(?<!\s)\$(?![\w$])"
    rf"|\\\((?P<brackets>(?:[^\\`]|\\[^()]){_BODY})\\\)"
)
_BLOCKS = {"$$": "$$", "\\[": "\\]"}
_NAMED_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|mathit|mathsf|operatorname|mbox)\w*\*?\s*\{[^}]*\}|\\[A-Za-z]+")
_WORDS = re.compile(r"[^\W\d_]{2,}[\s,.;:]+[^\W\d_]{2,}")
_WORD = re.compile(r"[^\W\d_]{2,}")


def read_formulas(parser: MarkdownIt) -> None:
    parser.inline.ruler.before("escape", "formula", _in_line)
    parser.block.ruler.before(
        "fence", "formula_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    parser.add_render_rule("formula", _show)
    parser.add_render_rule("formula_block", _show_block)


def begin_text(env: MutableMapping[str, Any]) -> None:
    env[_LEFT] = _MOST_CHARACTERS


def _in_line(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = _IN_LINE.match(state.src, state.pos, state.posMax)
    if found is None or not _is_formula(found, state.src[state.pos - 1 : state.pos]):
        return False
    if not silent:
        _push(state, "formula", found[found.lastgroup or 0], found[0], is_display=found.lastgroup == "display")
    state.pos = found.end()
    return True


def _is_formula(found: re.Match[str], before: str) -> bool:
    source = found[found.lastgroup or 0]
    body = _NAMED_TEXT.sub(" ", source)
    if not body.strip() and "\\" not in source:
        return False
    if found.lastgroup == "dollars":
        is_money = body[:1].isdigit() and _WORD.search(body) is not None
        if before.isalnum() or is_money:
            return False
    return _WORDS.search(body) is None


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    opener = _line(state, start)[:2]
    found = _block_end(state, start, end, opener) if opener in _BLOCKS else None
    if found is None:
        return False
    if not silent:
        source = "\n".join(_line(state, line) for line in range(start, found + 1)).strip()
        token = _push(state, "formula_block", source[2:-2].strip(), source, is_display=True)
        state.line = found + 1
        token.map = [start, state.line]
    return True


def _block_end(state: StateBlock, start: int, end: int, opener: str) -> int | None:
    """Return the line that closes the block, or None if a blank line, text after it or another opener shows that this
    is no formula.
    """
    closer = _BLOCKS[opener]
    body = ""
    for line in range(start, min(end, start + _MOST_LINES)):
        text = _line(state, line).rstrip()
        text = text[2:] if line == start else text
        if (line > start and not text) or state.sCount[line] < state.blkIndent:
            return None
        body += text + "\n"
        if text.endswith(closer):
            inside = body.rstrip()[:-2]
            is_one = opener not in inside and closer not in inside and inside.strip() != ""
            return line if is_one and _WORDS.search(_NAMED_TEXT.sub(" ", inside)) is None else None
        if closer in text or (line > start and opener in text):
            return None
    return None


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _push(state: Any, kind: str, body: str, source: str, *, is_display: bool) -> Token:
    token: Token = state.push(kind, "math", 0)
    token.content, token.markup, token.meta = body, source, {"is_display": is_display}
    return token


def _show(self: Any, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    token = tokens[index]
    return _markup(token, env) or f"<code>{escape(token.markup, quote=False)}</code>"


def _show_block(self: Any, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]) -> str:
    token = tokens[index]
    markup = _markup(token, env)
    if markup is None:
        return f'<pre class="plain" tabindex="0"><code>{escape(token.markup, quote=False)}</code></pre>\n'
    return f'<div class="formula" tabindex="0">{markup}</div>\n'


def _markup(token: Token, env: MutableMapping[str, Any]) -> str | None:
    env[_LEFT] -= len(token.content)
    return mathml(token.content, is_block=token.meta["is_display"]) if env[_LEFT] >= 0 else None
