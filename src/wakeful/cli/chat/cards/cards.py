"""Makes the cards of a session from the server's data."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.lists.job_words import delivery_words, group_title, is_delegation, job_note, job_time, job_title
from wakeful.cli.plain_text import harmless, one_line, output_lines, shortened_lines
from wakeful.model.tasks.notice_text import words_in

_USER_LINES = 12
_TAIL_LINES = 6
_THOUGHT_LINES = 3
_CUT = "The model reached its output limit: the answer stops here. Ask it to go on."
_BROKEN_OFF = "The answer broke off here and was asked for again; what follows replaces it."
# What precedes a task's output in the three kinds of notice.
_OUTPUT_MARKS = ("\nOutput:\n", "\nMatched output:\n", "\nResult:\n")


def user_card(content: str, source: str, attachments: Sequence[dict[str, Any]] = ()) -> Card:
    first, *rest = shortened_lines(harmless(content).strip().split("\n"), _USER_LINES, 2)
    rest += [f"[{one_line(file['name'])}, {file['size']:,} bytes]" for file in attachments]
    return Card(Tone.USER, first, "" if source == "user" else f"({one_line(source)})", tuple(rest), is_prose=True)


def wake_card(notice: dict[str, Any]) -> Card:
    output = shortened_lines(output_lines(_output_in(notice["content"])), 0, _TAIL_LINES)
    return Card(Tone.WAKE, job_title(notice), job_note(notice), (*_details(notice), *output))


def wakes_card(notices: Sequence[dict[str, Any]]) -> Card:
    """Make one card for notices that arrived together: a row each, with the last line of its output."""
    return Card(
        Tone.WAKE, group_title(notices), delivery_words(notices), tuple(chain.from_iterable(map(_row, notices)))
    )


def ended_card(process: dict[str, Any], command: str) -> Card:
    """Make the card for the end of a job that no agent is notified of."""
    ended = process | {"command": command}
    return Card(Tone.QUIET, job_title(ended), lines=_details(ended))


def thought_card(text: str) -> Card | None:
    lines = [line for line in harmless(text).strip().split("\n") if line.strip()]
    if not lines:
        return None
    first, *rest = shortened_lines(lines, _THOUGHT_LINES, 0)
    return Card(Tone.QUIET, first, lines=tuple(rest), is_prose=True)


def abandoned_card() -> Card:
    return Card(Tone.FAILURE, _BROKEN_OFF)


def cut_card() -> Card:
    return Card(Tone.FAILURE, _CUT)


def failed_card(last: dict[str, Any]) -> Card:
    return Card(Tone.FAILURE, one_line(last.get("message") or "The turn could not be finished."))


def cancelled_card(last: dict[str, Any]) -> Card:
    is_stop = last.get("code", "stopped") == "stopped"
    return Card(Tone.QUIET, "Stopped." if is_stop else one_line(last.get("message") or "Stopped."))


def _row(notice: dict[str, Any]) -> list[str]:
    title = " · ".join(filter(None, (job_title(notice), job_time(notice))))
    last = output_lines(_output_in(notice["content"]))[-1:]
    return [title, *(f"  {line}" for line in last)]


def _details(notice: dict[str, Any]) -> tuple[str, ...]:
    """Return what the title of a job leaves out: the goal of a sub-agent, or a command that is too long for it."""
    words = one_line(notice.get("command") or "")
    if is_delegation(notice):
        return (words,) if words else ()
    return () if f"`{words}`" in job_title(notice) or not words else (f"$ {words}",)


def _output_in(content: str) -> str:
    for mark in _OUTPUT_MARKS:
        _, found, output = words_in(content).partition(mark)
        if found:
            return output
    return content
