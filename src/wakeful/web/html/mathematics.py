"""Renders formulas as MathML. The library's output is written anew from an allow-list, so that a formula can carry no
script, link, style or foreign markup. A formula that contains anything else is rejected as a whole.
"""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LONGEST_FORMULA = 1_000

logger = logging.getLogger(__name__)

MATH_TAGS = frozenset(
    {"math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mprescripts"}
    | {"mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr"}
    | {"munder", "munderover", "none"}
)
MATH_ATTRIBUTES = frozenset(
    {"accent", "accentunder", "columnalign", "columnspacing", "depth", "display", "displaystyle", "fence", "form"}
    | {"height", "largeop", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "notation"}
    | {"rowspacing", "rspace", "scriptlevel", "separator", "stretchy", "symmetric", "width"}
)
# Colours are left out: the page's own are readable in both themes.
_LEFT_OUT = frozenset({"mathbackground", "mathcolor", "xmlns"})
_VALUE = re.compile(r"[-+.\w ]{0,60}")
# A longer space or rule would break the page's layout.
_WIDEST = 30
_NUMBER = re.compile(r"\d+(?:\.\d*)?")
_UPRIGHT_LETTER = re.compile(r"&#x000(?:4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A]);")
# Definitions can expand without end, and would not carry over to the next formula anyway.
_NOT_READ = re.compile(r"\\(?:(?:re)?newcommand|providecommand|def|let|require|verb|href|style|class)\b")


@lru_cache(maxsize=512)
def mathml(latex: str, *, is_block: bool) -> str | None:
    """Return the formula as markup, or None if it cannot be read."""
    from latex2mathml.converter import convert_to_element

    if len(latex) > LONGEST_FORMULA or _NOT_READ.search(latex):
        return None
    try:
        return _written(convert_to_element(latex, display="block" if is_block else "inline"))
    except Exception:
        # On malformed input the library raises errors of many classes, IndexError and KeyError among them.
        logger.debug("a formula cannot be read", exc_info=True)
        return None


class _UnreadableError(Exception):
    pass


def _written(element: Element) -> str:
    if element.tag not in MATH_TAGS:
        raise _UnreadableError
    given = element.attrib | ({"mathvariant": "normal"} if _is_upright(element) else {})
    attributes = "".join(_attribute(name, value) for name, value in given.items() if name not in _LEFT_OUT)
    inside = _text(element.text) + "".join(_written(child) + _text(child.tail) for child in element)
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>"


def _is_upright(element: Element) -> bool:
    """Return whether it is a letter of `\\mathrm` or the like, which browsers would slant.

    The library writes such a letter as a character reference.
    """
    return element.tag == "mi" and _UPRIGHT_LETTER.fullmatch(element.text or "") is not None


def _attribute(name: str, value: str) -> str:
    if name not in MATH_ATTRIBUTES or not _VALUE.fullmatch(value):
        raise _UnreadableError
    if any(float(number) > _WIDEST for number in _NUMBER.findall(value)):
        raise _UnreadableError
    return f' {name}="{escape(value)}"'


def _text(text: str | None) -> str:
    # The library writes characters as references, and passes unknown commands on as text.
    words = unescape(text or "")
    if "\\" in words:
        raise _UnreadableError
    return escape(words, quote=False)
