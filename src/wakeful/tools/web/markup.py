"""Splits HTML into texts and tags in one pass: its time grows with the length of the page, whatever it contains.

What a browser would drop because it never ends, such as an open comment, is dropped here too.
"""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_NAME = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_END_OR_QUOTE = re.compile(r"[\"'>]")
_ATTRIBUTE = re.compile(r"([^\s=>\"'/]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+)))?")
# Everything up to their end tag is text, and none that people read.
_RAW = frozenset({"script", "style", "noscript", "template", "textarea", "iframe", "object", "svg", "select", "math"})


@dataclass(frozen=True, slots=True)
class MarkupTag:
    name: str
    is_end: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)


def markup_parts(page: str) -> Iterator[str | MarkupTag]:
    at = 0
    while at < len(page):
        opening = page.find("<", at)
        if opening != at:
            yield _unescaped(page[at : opening if opening >= 0 else len(page)])
        if opening < 0:
            return
        at, part = _part(page, opening)
        if part is not None:
            yield part


def _part(page: str, at: int) -> tuple[int, str | MarkupTag | None]:
    """Return where the markup at this place ends, and what it is."""
    named = _NAME.match(page, at)
    if named is None:
        return _without_name(page, at)
    end = _end_of_tag(page, named.end())
    name = named[2].lower()
    if name in _RAW and not named[1]:
        closing = re.compile(f"</{re.escape(name)}", re.IGNORECASE).search(page, end)
        return (_end_of_tag(page, closing.end()) if closing else len(page)), None
    return end, MarkupTag(name, bool(named[1]), _attributes(page[named.end() : end]))


def _without_name(page: str, at: int) -> tuple[int, str | None]:
    if page.startswith("<!--", at):
        end = page.find("-->", at + 4)
        return (end + 3 if end >= 0 else len(page)), None
    if page.startswith(("<!", "<?", "</"), at):
        end = page.find(">", at)
        return (end + 1 if end >= 0 else len(page)), None
    return at + 1, "<"


def _end_of_tag(page: str, at: int) -> int:
    while found := _END_OR_QUOTE.search(page, at):
        if found.group() == ">":
            return found.end()
        closing = page.find(found.group(), found.end())
        if closing < 0:
            break
        at = closing + 1
    return len(page)


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = next((group for group in match.groups()[1:] if group is not None), "")
        found.setdefault(match[1].lower(), _unescaped(value))
    return found


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:
        # A number of thousands of digits.
        return text
