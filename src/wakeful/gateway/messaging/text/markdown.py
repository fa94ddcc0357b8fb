"""Markdown taken apart, for platforms with a markup of their own: each says how it writes the parts."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from markdown_it import MarkdownIt
from markdown_it.token import Token

from wakeful.gateway.messaging.text.table import table_text

# HTML that a model writes is text here.
PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
# What is nested deeper is shown without a mark of its own; of blocks the parser itself goes no deeper.
_DEEPEST = 20


class Markup(Protocol):
    """How one platform writes the parts of a text."""

    def text(self, text: str) -> str:
        """Write plain words, so that nothing in them is taken for markup."""
        ...

    def bold(self, inner: str) -> str: ...

    def italic(self, inner: str) -> str: ...

    def struck(self, inner: str) -> str: ...

    def code(self, text: str) -> str: ...

    def block(self, text: str, language: str) -> str: ...

    def link(self, inner: str, url: str) -> str: ...

    def quote(self, inner: str) -> str: ...


def rendered(markdown: str, marks: Markup) -> str:
    return _Renderer(marks).blocks(PARSER.parse(markdown)).strip("\n")


class _Renderer:
    def __init__(self, marks: Markup) -> None:
        self._marks = marks

    def blocks(self, tokens: Sequence[Token], *, is_tight: bool = False) -> str:
        """Write blocks one below the other, with an empty line between two of them unless their list is tight."""
        return ("\n" if is_tight else "\n\n").join(text for text in self._blocks(tokens) if text)

    def _blocks(self, tokens: Sequence[Token]) -> Iterator[str]:
        at = 0
        while at < len(tokens):
            end = _end_of(tokens, at)
            yield self._block(tokens[at], tokens[at + 1 : end])
            at = end + 1

    def _block(self, first: Token, inner: Sequence[Token]) -> str:
        marks = self._marks
        match first.type:
            case "heading_open":
                return marks.bold(self.blocks(inner))
            case "inline":
                return self._inline(first.children or [])
            case "fence" | "code_block":
                return marks.block(first.content.rstrip("\n"), first.info.split()[0] if first.info.strip() else "")
            case "blockquote_open":
                return marks.quote(self.blocks(inner))
            case "bullet_list_open" | "ordered_list_open":
                return self._list(first, inner)
            case "table_open":
                return marks.block(table_text(inner), "")
            case "hr":
                return marks.text("———")
            case _:
                return self.blocks(inner) if inner else marks.text(first.content)

    def _list(self, first: Token, inner: Sequence[Token]) -> str:
        number = int(first.attrGet("start") or 1)
        is_tight = any(token.type == "paragraph_open" and token.hidden for token in inner)
        items: list[str] = []
        at = 0
        while at < len(inner):
            end = _end_of(inner, at)
            sign = "• " if first.type == "bullet_list_open" else f"{number + len(items)}. "
            text = self.blocks(inner[at + 1 : end], is_tight=is_tight)
            items.append(sign + text.replace("\n", "\n" + " " * len(sign)))
            at = end + 1
        return ("\n" if is_tight else "\n\n").join(items)

    def _inline(self, tokens: Sequence[Token]) -> str:
        # Nothing limits how deep words are nested, so this does not call itself.
        opened: list[Token] = []
        parts: list[list[str]] = [[]]
        for token in tokens:
            if token.nesting > 0:
                opened.append(token)
                parts.append([])
            elif token.nesting < 0:
                inner = "".join(parts.pop())
                parts[-1].append(self._marked(opened.pop(), inner) if len(opened) <= _DEEPEST else inner)
            else:
                parts[-1].append(self._leaf(token))
        return "".join(parts[0])

    def _marked(self, token: Token, inner: str) -> str:
        marks = self._marks
        match token.type:
            case "strong_open":
                return marks.bold(inner)
            case "em_open":
                return marks.italic(inner)
            case "s_open":
                return marks.struck(inner)
            case "link_open":
                return marks.link(inner, str(token.attrGet("href")))
            case _:
                return inner

    def _leaf(self, token: Token) -> str:
        marks = self._marks
        match token.type:
            case "image":
                return marks.link(marks.text(token.content or "picture"), str(token.attrGet("src")))
            case "code_inline":
                return marks.code(token.content)
            case "softbreak" | "hardbreak":
                return "\n"
            case _:
                return marks.text(token.content)


def _end_of(tokens: Sequence[Token], at: int) -> int:
    """Return the index of the token that closes the one at `at`; a token without inner ones closes itself."""
    depth: int = tokens[at].nesting
    while depth:
        at += 1
        depth += tokens[at].nesting
    return at
