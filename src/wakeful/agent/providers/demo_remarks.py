"""What the scripted model says of tool results and of notices: in words where it knows their shape."""

import re
from collections.abc import Iterable, Iterator

import orjson

NOTICE_MARK = "[IMPORTANT: "

_QUOTE_LIMIT = 2_000
_ENDED = re.compile(
    r"\[IMPORTANT: Background process (?P<id>\S+) completed \(exit code (?P<code>-?\d+)\)\.\n"
    r"Command: (?P<command>.*?)\nOutput:\n(?P<output>.*)\](?:\n\[Between [^\n]*\])?",
    re.DOTALL,
)


def about_results(results: Iterable[str]) -> Iterator[str]:
    for result in results:
        yield _about_start(result) or f"The tool answered:\n\n{quoted(result)}"


def about_notices(notices: Iterable[str]) -> Iterator[str]:
    for notice in notices:
        match = _ENDED.fullmatch(notice)
        if match is None:
            yield f"News arrived while nobody was asking:\n\n{quoted(notice)}"
        else:
            how = "has ended well" if match["code"] == "0" else f"has failed with exit code {match['code']}"
            yield f"The background process `{match['command']}` {how}. Its output:\n\n{quoted(match['output'])}"


def quoted(text: str) -> str:
    if len(text) > _QUOTE_LIMIT:
        text = f"{text[:_QUOTE_LIMIT]}…"
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def _about_start(result: str) -> str | None:
    """A promise is repeated only where the tool has made it."""
    try:
        answer = orjson.loads(result)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(answer, dict):
        return None
    if answer.get("status") == "dispatched":
        return f"A sub-agent is at work as {answer['delegation_id']}. I will speak up when it is done."
    if "session_id" not in answer or "pid" not in answer or answer.get("error"):
        return None
    started = f"It runs in the background as {answer['session_id']}."
    if answer.get("notify_on_complete") or answer.get("watch_patterns"):
        return f"{started} I will speak up when there is news."
    return f"{started} {answer.get('notify_unsupported', 'Nobody will be told of its end.')}"
