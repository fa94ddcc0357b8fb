"""Renders Markdown as clean HTML, block by block. A model's text can never become script or load anything.

There are two defences: the parser takes no HTML except a few harmless tags, and its output passes an allow-list of tags
and attributes.
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
    # Imported when the first answer is rendered, so that commands which render none start faster.
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token
    from nh3 import Cleaner

# The parser's environment: definitions of reference links and footnotes, for later pieces of the same text.
Env = MutableMapping[str, Any]

# The parser recurses; deeper quotes and lists are shown as text.
_MOST_NESTING = 20

_SAFE_LINK = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
# A URL without a scheme. It leads nowhere here, so it is shown as text.
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


def render_blocks(text: str) -> list[str]:
    """Return the HTML of each top-level block. Joined, they are the HTML of the text."""
    written, rest = split_by_effort(text)
    blocks = [html for _, html in _rendered(written, {})]
    return [*blocks, plain_block(rest)] if rest else blocks


def render_blocks_with_lines(text: str, env: Env) -> list[tuple[int, str]]:
    """Return each block with the number of its first line, for a text that is known to cost little.

    `env` holds the definitions of earlier pieces of the text; those of this piece are added.
    """
    return list(_rendered(text, env))


def plain_block(text: str) -> str:
    """Return the text unrendered, for text that would take too long to render."""
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
    # The source of a link that is refused here stays in the text.
    return bool(_SAFE_LINK.match(url) or _RELATIVE_LINK.match(url))


def _dress(state: StateCore) -> None:
    """Replace attributes that we do not allow by classes and tags that we do."""
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
    """Replace `[ ]` or `[x]` at the start of a list item by a box."""
    if [token.type for token in before] != ["list_item_open", "paragraph_open"]:
        return
    first = next(iter(inline.children or ()), None)
    if first is not None and first.type == "text" and first.content[:4] in _CHECKS:
        first.content = _CHECKS[first.content[:4]] + first.content[4:]
        before[0].attrSet("class", "check")


def _dress_links(children: Sequence[Token]) -> None:
    """Turn links without an allowed scheme into spans."""
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
    # MarkdownIt has no option for this; it calls the attribute of the instance.
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
