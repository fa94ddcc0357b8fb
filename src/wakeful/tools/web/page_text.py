"""Turns HTML into text that keeps headings, lists, and the addresses of links.

No tag may look at everything before it, or a page of 2 MiB takes hours: each costs the same wherever it stands.
"""

import re
from urllib.parse import urljoin

from wakeful.tools.web.markup import MarkupTag, markup_parts

_BLOCK_NAMES = """
    address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html
    main nav ol p pre section summary table tbody tfoot thead title tr ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BLANK = re.compile(r"[ \t\r\f\v\n\u00a0]+")
_DEEPEST_LIST = 10


def text_of_page(page: str, address: str) -> str:
    """Return the text of a page. Its links are made absolute."""
    writer = _Writer(address)
    for part in markup_parts(page):
        if isinstance(part, str):
            writer.write(part)
        elif part.is_end:
            writer.end(part)
        else:
            writer.begin(part)
    return writer.text


class _Writer:
    def __init__(self, address: str) -> None:
        self._base = address
        self._has_base = False
        # Finished lines; the current one is in pieces.
        self._lines: list[str] = []
        self._line: list[str] = []
        self._has_words = False
        # What the next line with words begins with: the sign of a heading or of an item.
        self._mark = ""
        # The number of the next item of each open list; None where items have no numbers.
        self._lists: list[int | None] = []
        self._link = ""
        self._link_at = 0
        self._is_preformatted = False

    @property
    def text(self) -> str:
        self._break()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._lines)).strip()

    def write(self, text: str) -> None:
        if not self._is_preformatted:
            self._add(_BLANK.sub(" ", text))
            return
        first, *rest = text.split("\n")
        self._add(first)
        for line in rest:
            self._break()
            self._add(line)

    def begin(self, tag: MarkupTag) -> None:
        match tag.name:
            case "br":
                self._break()
            case "li":
                self._begin_item()
            case "td" | "th":
                if self._has_words:
                    self._add(" | ")
            case "a":
                self._end_link()
                self._link, self._link_at = self._address(tag.attributes.get("href", "")), len(self._line)
            case "img":
                if alt := tag.attributes.get("alt", "").strip():
                    self._add(f"[Image: {_BLANK.sub(' ', alt)}]")
            case "base" if not self._has_base:
                self._has_base = True
                self._base = urljoin_or_nothing(self._base, tag.attributes.get("href", "")) or self._base
            case name if name in _HEADINGS:
                self._paragraph()
                self._mark = f"{_HEADINGS[name]} "
            case name if name in _BLOCKS:
                self._begin_block(name)

    def end(self, tag: MarkupTag) -> None:
        match tag.name:
            case "a":
                self._end_link()
            case "ul" | "ol":
                self._break()
                if self._lists:
                    self._lists.pop()
                if not self._lists:
                    self._paragraph()
            case "li":
                self._break()
            case name if name in _BLOCKS or name in _HEADINGS:
                self._break() if name == "tr" or self._lists else self._paragraph()
                self._is_preformatted = self._is_preformatted and name != "pre"
                self._mark = ""

    def _begin_block(self, name: str) -> None:
        if name in ("ul", "ol"):
            self._break()
            self._lists.append(1 if name == "ol" else None)
        elif name == "tr" or self._lists:
            self._break()
        else:
            self._paragraph()
        self._is_preformatted = self._is_preformatted or name == "pre"

    def _begin_item(self) -> None:
        self._break()
        indent = "  " * (min(len(self._lists), _DEEPEST_LIST) - 1)
        number = self._lists[-1] if self._lists else None
        self._mark = f"{indent}- " if number is None else f"{indent}{number}. "
        if number is not None:
            self._lists[-1] = number + 1

    def _end_link(self) -> None:
        if not self._link:
            return
        words = "".join(self._line[self._link_at :]).strip()
        if words and words != self._link:
            self._add(f" ({self._link})")
        self._link = ""

    def _address(self, href: str) -> str:
        """Return the address of a link; nothing for one that leads to no other page."""
        if not href.strip() or href.lstrip().startswith("#"):
            return ""
        address = urljoin_or_nothing(self._base, href.strip())
        return address if address.startswith(("http://", "https://", "mailto:")) else ""

    def _add(self, piece: str) -> None:
        self._line.append(piece)
        self._has_words = self._has_words or bool(piece.strip())

    def _break(self) -> None:
        line = "".join(self._line)
        self._line, self._link_at, self._has_words = [], 0, False
        if not self._is_preformatted:
            line = _BLANK.sub(" ", line).strip()
        if line.strip() or self._is_preformatted:
            self._lines.append(self._mark + line.rstrip())
            self._mark = ""

    def _paragraph(self) -> None:
        self._break()
        if self._lines and self._lines[-1]:
            self._lines.append("")


def urljoin_or_nothing(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return ""
