"""Finds dangers that show in a text as a whole, before it is cut into commands.

Each expression must run in linear time: a command can have 100,000 characters.
"""

import re
from collections.abc import Iterator

from wakeful.model.approvals.approval import Reason
from wakeful.model.approvals.reason_kinds import FORK_BOMB, HOME, RUN_DOWNLOAD, UNCLEAR

_FORK_BOMB = re.compile(r"(?<![\w:.])([\w:.]{1,50})\s?\(\)\s?\{\s?\1\s?\|\s?\1\s?&\s?\}")
_SEPARATOR = re.compile(r";|&&|\|\||\n")
_FETCH = re.compile(r"\b(curl|wget)\b")
_DECODE = re.compile(r"\b(base64|base32|xxd|openssl|rev)\b")
_INTO_SHELL = re.compile(r"\|\s?(sudo )?[\w/]{0,20}\b((ba|da|z|k)?sh\b|python[\d.]{0,5} ?-?\s?($|\|))")
_INNER_FETCH = re.compile(r"(<\(|\$\(|`)\s?(curl|wget)\b")
_SHELL_BEFORE = re.compile(r"^\s?[\"']?$|(^|[\s(\"'])((ba|da|z|k)?sh|eval|source|\.)\s")
_LISTS_SERVER = re.compile(r"\b(?:pgrep|pidof|ps|lsof)\b.*?(?:wakeful|uvicorn)")
_KILLS_LISTED = re.compile(r"\|\s?(?:sudo )?xargs\b[^|]*\bkill\b")
_LONGEST_EXCERPT = 500


def reasons_of_text(text: str) -> Iterator[tuple[Reason, int]]:
    """Yield each reason with the position where it ends."""
    for bomb in _FORK_BOMB.finditer(text):
        yield Reason(FORK_BOMB, "starts copies of itself without end", None, bomb.group()), bomb.end()
    for pipeline, end in _pipelines(text):
        excerpt = pipeline.strip()[:_LONGEST_EXCERPT]
        if _runs_download(pipeline):
            yield Reason(RUN_DOWNLOAD, "runs a program straight from the network", None, excerpt), end
        elif (listed := _LISTS_SERVER.search(pipeline)) and _KILLS_LISTED.search(pipeline, listed.end()):
            yield Reason(HOME, "reaches for the server's own process", None, excerpt), end
        elif (decoded := _DECODE.search(pipeline)) and _INTO_SHELL.search(pipeline, decoded.end()):
            yield (
                Reason(UNCLEAR, "runs a text that it decodes first, so what it runs cannot be read", None, excerpt),
                end,
            )


def _pipelines(text: str) -> Iterator[tuple[str, int]]:
    start = 0
    for separator in _SEPARATOR.finditer(text):
        yield text[start : separator.start()], separator.start()
        start = separator.end()
    yield text[start:], len(text)


def _runs_download(pipeline: str) -> bool:
    if (fetched := _FETCH.search(pipeline)) and _INTO_SHELL.search(pipeline, fetched.end()):
        return True
    inner = _INNER_FETCH.search(pipeline)
    return bool(inner and _SHELL_BEFORE.search(pipeline[: inner.start()]))
