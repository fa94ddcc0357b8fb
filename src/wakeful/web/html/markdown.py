"""Markdown as clean HTML, block by block. What a model writes can never become script, or load anything.

Two walls: the parser takes no HTML but a few tags that can do nothing, and what it makes goes through an allow-list of
tags and attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from wakeful.web.html import mathematics
from wakeful.web.html.bare_links import link_bare_addresses
from wakeful.web.html.effort import split_by_effort
from wakeful.web.html.footnotes import read_footnotes
from wakeful.web.html.formulas import begin_text, read_formulas
from wakeful.web.html.harmless_tags import read_harmless_tags
from wakeful.web.html.highlight import CLASSES, coloured

if TYPE_CHECKING:
    # Loaded when the first answer is rendered: commands that show none start without them.
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token
    from nh3 import Cleaner

# Definitions of reference links and footnotes, which a later piece of the same text may use.
Env = MutableMapping[str, Any]

# Deeper quotes and lists than these are shown as text; the parser would recurse.
_MOST_NESTING = 20

_SAFE_LINK = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
# A path without a scheme: shown as words, for here it leads nowhere.
_RELATIVE_LINK = re.compile(r"[^:/?#]*(?:[/?#]|$)")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,30}")
_ALIGNMENTS = {"text-align:left": "left", "text-align:center": "center", "text-align:right": "right"}
_CHECKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}

TAGS = frozenset(
    {"a", "blockquote", "br", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"}
    | {"s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"}
    | {"details", "kbd", "sub", "summary", "sup"}
    | mathematics.MATH_TAGS
)
_CELL_CLASSES = set(_ALIGNMENTS.values())


def render_blocks(text: str, env: Env | None = None) -> list[str]:
    """One string of HTML for each top-level block. Together they are the HTML of the text.

    `env` carries what was defined in earlier pieces of the text, and gets what is defined in this one.
    """
    written, rest = split_by_effort(text)
    blocks = [html for _, html in _rendered(written, {} if env is None else env)]
    return [*blocks, plain_block(rest)] if rest else blocks


def render_placed_blocks(text: str, env: Env) -> list[tuple[int, str]]:
    """The same, each block with the line that it begins at, for text that is known to cost little."""
    return list(_rendered(text, env))


def plain_block(text: str) -> str:
    """Text as it is: when making more of it would take too long."""
    return f'<pre class="plain" tabindex="0"><code>{escape(text, quote=False)}</code></pre>\n'


def _rendered(text: str, env: Env) -> Iterator[tuple[int, str]]:
    parser, cleaner = _parser(), _cleaner()
    begin_text(env)
    for tokens in _top_level(parser.parse(text, env)):
        html = parser.renderer.render(tokens, parser.options, env)
        first = tokens[0].map
        yield (first[0] if first else 0), cleaner.clean(html)


def _top_level(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []


def _is_link(url: str) -> bool:
    """What is no link stays in the text as it was written."""
    return bool(_SAFE_LINK.match(url) or _RELATIVE_LINK.match(url))


def _dress(state: StateCore) -> None:
    """What the parser would say in attributes that we do not allow."""
    before: list[Token] = []
    for token in state.tokens:
        if token.type in ("td_open", "th_open"):
            _class_for_alignment(token)
        elif token.type == "inline":
            _check_box(token, before)
            _dress_links(token.children or [])
        before = [*before[-1:], token]


def _class_for_alignment(token: Token) -> None:
    style = token.attrs.pop("style", None)
    if style in _ALIGNMENTS:
        token.attrSet("class", _ALIGNMENTS[str(style)])


def _check_box(inline: Token, before: Sequence[Token]) -> None:
    """The first words of a list item may be a box."""
    kinds = [token.type for token in before]
    first = inline.children[0] if inline.children else None
    if kinds == ["list_item_open", "paragraph_open"] and first is not None and first.type == "text":
        box = _CHECKS.get(first.content[:4])
        if box is not None:
            first.content = box + first.content[4:]
            before[0].attrSet("class", "check")


def _dress_links(children: Sequence[Token]) -> None:
    """Pictures are not loaded but linked to; paths lead nowhere."""
    closing = "a"
    for token in children:
        if token.type == "link_open":
            closing = _dress_link(token, str(token.attrs.get("href", "")))
        elif token.type == "link_close":
            token.tag = closing


def _dress_link(token: Token, url: str) -> str:
    if not _SAFE_LINK.match(url):
        token.tag = "span"
        token.attrs = {"class": "path", "title": url}
    return token.tag


def _image(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Env) -> str:
    token = tokens[index]
    url = str(token.attrs.get("src", ""))
    words = self.renderInlineAsText(token.children or [], options, env) or url
    if not _SAFE_LINK.match(url):
        return f'<span class="path" title="{escape(url)}">{escape(words)}</span>'
    return f'<a class="image" href="{escape(url)}">{escape(words)}</a>'


def _code(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Env) -> str:
    token = tokens[index]
    named = _LANGUAGE.match(token.info.strip())
    language = named[0].lower() if named else ""
    inside = coloured(token.content, language)
    return f'<div class="code" data-language="{escape(language)}"><pre tabindex="0"><code>{inside}</code></pre></div>\n'


def _table_open(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Env) -> str:
    return '<div class="table" tabindex="0"><table>\n'


def _table_close(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Env) -> str:
    return "</table></div>\n"


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MOST_NESTING}).enable(["table", "strikethrough"])
    # The instance asks its attribute; the class has no place for another rule.
    parser.validateLink = _is_link  # type: ignore[method-assign]
    read_formulas(parser)
    read_footnotes(parser)
    read_harmless_tags(parser)
    parser.core.ruler.push("bare_links", link_bare_addresses)
    parser.core.ruler.push("dress", _dress)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    return parser


@cache
def _cleaner() -> Cleaner:
    import nh3

    return nh3.Cleaner(
        tags=set(TAGS),
        attributes={
            "a": {"href", "title"},
            "details": {"open"},
            "div": {"data-language", "data-note"},
            "span": {"title"},
            "sup": {"data-note"},
            "ol": {"start"},
        }
        | {tag: set(mathematics.MATH_ATTRIBUTES) for tag in mathematics.MATH_TAGS},
        tag_attribute_values={"pre": {"tabindex": {"0"}}, "div": {"tabindex": {"0"}}},
        set_tag_attribute_values={"a": {"target": "_blank"}},
        allowed_classes={
            "div": {"code", "footnote", "formula", "table"},
            "sup": {"note"},
            "span": set(CLASSES) | {"path"},
            "a": {"image"},
            "li": {"check"},
            "pre": {"plain"},
            "td": _CELL_CLASSES,
            "th": _CELL_CLASSES,
        },
        link_rel="noopener noreferrer nofollow",
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
    )
