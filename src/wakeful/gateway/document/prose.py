"""A description as HTML: a paragraph, with what stands between backticks as code."""

import re
from html import escape

_CODE = re.compile(r"`([^`]+)`")


def prose(words: str) -> str:
    marked = _CODE.sub(r"<code>\1</code>", escape(words))
    return f"<p>{marked}</p>" if words else ""
