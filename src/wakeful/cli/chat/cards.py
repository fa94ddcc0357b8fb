"""The cards of a conversation, made from what the server tells."""

from typing import Any

from wakeful.cli.chat.card import Card, Tone
from wakeful.cli.chat.plain_text import duration, folded, harmless, one_line, output_lines
from wakeful.model.notice_text import words_in

_USER_LINES = 12
_TAIL_LINES = 6
_THOUGHT_LINES = 3
_BROKEN_OFF = "The answer broke off here and is asked for again; what follows takes its place."
# How each of the three kinds of notice tells what the task has said.
_SAID = ("\nOutput:\n", "\nMatched output:\n", "\nResult:\n")
_DELIVERED = {
    "opened": "it woke the agent, nobody typed this",
    "with_message": "told together with the message, nobody typed this",
    "joined": "told while the agent was at work, nobody typed this",
}


def user_card(content: str, source: str) -> Card:
    first, *rest = folded(harmless(content).strip().split("\n"), _USER_LINES, 2)
    return Card(Tone.USER, first, "" if source == "user" else f"({one_line(source)})", tuple(rest), is_prose=True)


def wake_card(notice: dict[str, Any]) -> Card:
    lines = folded(output_lines(_said_in(notice["content"])), 0, _TAIL_LINES)
    is_delegation = notice.get("source") == "delegation_wakeup"
    command = _command(notice.get("command") or "", is_delegation=is_delegation)
    delivered = _DELIVERED.get(notice.get("delivered", ""), "")
    note = " · ".join(part for part in (_after(notice), delivered, one_line(notice.get("task_id") or "")) if part)
    return Card(Tone.WAKE, _news(notice), note, (command, *lines) if command else tuple(lines))


def ended_card(process: dict[str, Any], command: str) -> Card:
    """A task has ended and nobody was promised to be told."""
    is_delegation = process.get("kind") == "delegation"
    title = f"{_kind(is_delegation=is_delegation)} {_how(process, is_delegation=is_delegation)}"
    return Card(Tone.QUIET, title, one_line(process["process_id"]), (_command(command, is_delegation=is_delegation),))


def thought_card(text: str) -> Card | None:
    lines = [line for line in harmless(text).strip().split("\n") if line.strip()]
    if not lines:
        return None
    first, *rest = folded(lines, _THOUGHT_LINES, 0)
    return Card(Tone.QUIET, first, lines=tuple(rest), is_prose=True)


def abandoned_card() -> Card:
    return Card(Tone.FAILURE, _BROKEN_OFF)


def failed_card(last: dict[str, Any]) -> Card:
    return Card(Tone.FAILURE, one_line(last.get("message") or "The turn could not be finished."))


def cancelled_card(last: dict[str, Any]) -> Card:
    is_stop = last.get("code", "stopped") == "stopped"
    return Card(Tone.QUIET, "Stopped." if is_stop else one_line(last.get("message") or "Stopped."))


def _news(notice: dict[str, Any]) -> str:
    if notice.get("source") == "watch_match":
        return f"A process has said “{one_line(notice.get('pattern') or '')}”"
    is_delegation = notice.get("source") == "delegation_wakeup"
    return f"{_kind(is_delegation=is_delegation)} {_how(notice, is_delegation=is_delegation)}"


def _kind(*, is_delegation: bool) -> str:
    return "A sub-agent" if is_delegation else "A process"


def _how(ended: dict[str, Any], *, is_delegation: bool) -> str:
    """A sub-agent has no exit code that would tell anybody anything."""
    code = "" if is_delegation or ended.get("exit_code") is None else f", exit code {ended['exit_code']}"
    said = {
        "exited": f"has ended well{code}",
        "killed": "was ended on purpose",
        "lost": "is lost: its machine went down",
    }
    return said.get(ended.get("status", ""), f"has failed{code}")


def _command(command: str, *, is_delegation: bool) -> str:
    words = one_line(command)
    return words if is_delegation or not words else f"$ {words}"


def _after(notice: dict[str, Any]) -> str:
    seconds = notice.get("seconds")
    return "" if seconds is None else f"after {duration(seconds)}"


def _said_in(content: str) -> str:
    for mark in _SAID:
        _, found, said = words_in(content).partition(mark)
        if found:
            return said
    return content
