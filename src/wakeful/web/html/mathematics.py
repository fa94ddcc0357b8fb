"""Formulas as MathML. What the library makes is taken apart and written anew from an allow-list: a formula can carry no
script, no link, no style and no markup of its own. What cannot be read, in whole, is no formula.
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
# Colours are left out: those of the page are readable in both themes.
_LEFT_OUT = frozenset({"mathbackground", "mathcolor", "xmlns"})
_VALUE = re.compile(r"[-+.\w ]{0,60}")
# A space or a rule longer than this would push the page apart.
_WIDEST = 30
_NUMBER = re.compile(r"\d+(?:\.\d*)?")
_UPRIGHT_LETTER = re.compile(r"&#x000(?:4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A]);")
# Definitions can multiply without end, and each formula stands alone.
_NOT_READ = re.compile(r"\\(?:(?:re)?newcommand|providecommand|def|let|require|verb|href|style|class)\b")


@lru_cache(maxsize=512)
def mathml(latex: str, *, is_block: bool) -> str | None:
    """The formula as markup; None where it cannot be read."""
    from latex2mathml.converter import convert_to_element

    if len(latex) > LONGEST_FORMULA or _NOT_READ.search(latex):
        return None
    try:
        return _written(convert_to_element(latex, display="block" if is_block else "inline"))
    except Exception:
        # For what it cannot read the library raises errors of many classes, IndexError and KeyError among them.
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
    """A letter of `\\mathrm` and the like: the library writes it as a reference, and browsers would slant it."""
    return element.tag == "mi" and _UPRIGHT_LETTER.fullmatch(element.text or "") is not None


def _attribute(name: str, value: str) -> str:
    if name not in MATH_ATTRIBUTES or not _VALUE.fullmatch(value):
        raise _UnreadableError
    if any(float(number) > _WIDEST for number in _NUMBER.findall(value)):
        raise _UnreadableError
    return f' {name}="{escape(value)}"'


def _text(text: str | None) -> str:
    """The library writes characters as references, and passes on what it does not know."""
    words = unescape(text or "")
    if "\\" in words:
        raise _UnreadableError
    return escape(words, quote=False)
