"""What the scripted model says about tool results and notices: a sentence for known formats, a quote otherwise."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

NOTICE_MARK = "[IMPORTANT: "
REMINDER = "(Scripted demonstration model, not a real one.)"

_QUOTE_LIMIT = 2_000
# The line after a notice that says who wrote the text in it.
_FENCE = re.compile(r"\n\[Between [^\n]*\]\Z")
_ENDED = re.compile(
    r"\[IMPORTANT: Background process (?P<id>\S+) completed \(exit code (?P<code>-?\d+)\)\.\n"
    r"Command: (?P<command>.*?)\nOutput:\n(?P<output>.*)\](?:\n\[Between [^\n]*\])?",
    re.DOTALL,
)
_MATCHED = re.compile(
    r"\[IMPORTANT: Background process (?P<id>\S+) matched watch pattern \"(?P<pattern>.*?)\"\.\n"
    r"Command: (?P<command>.*?)\nMatched output:\n(?P<output>.*)\]",
    re.DOTALL,
)
_REPORTED = re.compile(
    r"\[IMPORTANT: Background delegation (?P<id>\S+) (?P<how>completed|failed)\.\n"
    r"Goal: (?P<goal>.*?)\nResult:\n(?P<output>.*)\]",
    re.DOTALL,
)


def about_results(results: Iterable[str]) -> Iterator[str]:
    for result in results:
        answer = _json_object(result)
        said = _about_failure(answer) or _about_start(answer) or _about_end(answer)
        yield said or f"The tool answered:\n\n{block_quote(result)}"


def about_notices(notices: Iterable[str]) -> Iterator[str]:
    for fenced in notices:
        notice = _FENCE.sub("", fenced)
        if ended := _ENDED.fullmatch(notice):
            how = "has ended well" if ended["code"] == "0" else f"has failed with exit code {ended['code']}"
            yield f"The background process `{ended['command']}` {how}. Its output:\n\n{block_quote(ended['output'])}"
        elif matched := _MATCHED.fullmatch(notice):
            printed = f"The background process `{matched['command']}` has printed “{matched['pattern']}”"
            yield f"{printed}:\n\n{block_quote(matched['output'])}"
        elif reported := _REPORTED.fullmatch(notice):
            how = "reports" if reported["how"] == "completed" else "has failed"
            # The sub-agent is scripted, too, and ends its report with the same reminder.
            report = reported["output"].removesuffix(REMINDER).rstrip()
            yield f"The sub-agent for “{reported['goal']}” {how}:\n\n{block_quote(report)}"
        else:
            yield f"News arrived in the meantime:\n\n{block_quote(notice)}"


def block_quote(text: str) -> str:
    if len(text) > _QUOTE_LIMIT:
        text = f"{text[:_QUOTE_LIMIT]}…"
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def _json_object(text: str) -> dict[str, Any]:
    """Return the decoded JSON object, empty for any other text."""
    try:
        answer = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _about_failure(answer: dict[str, Any]) -> str | None:
    if not answer.get("error"):
        return None
    if answer.get("code") in ("denied", "expired"):
        return "The command was not allowed, so it did not run. I go on without it."
    return f"The call failed: {answer['error']}"


def _about_start(answer: dict[str, Any]) -> str | None:
    """Repeat the promise to report back only if the tool made it."""
    if answer.get("status") == "dispatched":
        sent = answer.get("delegations", ())
        if len(sent) > 1:
            return f"{len(sent)} sub-agents are at work. I will speak up when one of them is done."
        return f"A sub-agent is at work as {answer['delegation_id']}. I will speak up when it is done."
    if "session_id" not in answer or "pid" not in answer:
        return None
    started = f"It runs in the background as {answer['session_id']}."
    if answer.get("notify_on_complete") or answer.get("watch_patterns"):
        return f"{started} I will speak up when there is news."
    return f"{started} {answer.get('notify_unsupported', 'You will not be notified when it ends.')}"


def _about_end(answer: dict[str, Any]) -> str | None:
    """Describe the end of a command in the foreground."""
    if not isinstance(answer.get("output"), str) or not isinstance(answer.get("exit_code"), int):
        return None
    how = "has ended well" if answer["exit_code"] == 0 else f"has failed with exit code {answer['exit_code']}"
    printed = f" It printed:\n\n{block_quote(answer['output'].rstrip())}" if answer["output"].strip() else ""
    return f"The command {how}.{printed}"
