"""Turns the journals of a chain of turns into the messages that people see, reading backwards from the newest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from wakeful.model.files.attachment import shown_fields
from wakeful.model.inbox import UNDO
from wakeful.model.journal.entry import (
    Entry,
    EntryKind,
    answer_of,
    attachments_of,
    calls_of,
    is_cut,
    is_gone,
    model_changes_of,
    model_of,
    spend_of,
    summary_of,
)
from wakeful.model.journal.message import ToolCall
from wakeful.model.spend import Spend
from wakeful.model.tasks.task_data import time_text
from wakeful.model.turn import Turn, TurnStatus
from wakeful.store.base import Transaction
from wakeful.web.messages.turn import ModelChange, ShownTurn, TurnCost, cost_fields, outline_of

# How many turns are read at once: few at first, so that for long turns little more is read than shown.
_FEWEST = 4
_MOST = 64
# The longest result of a tool that is shown whole, in characters; of a longer one, so many from each end.
_MOST_RESULT = 20_000
_PART_OF_RESULT = 8_000
# The same for pages that fold results away.
_MOST_FOLDED = 2_000
_PART_OF_FOLDED = 800
# Ends a diff of which the page has only the beginning.
CUT_DIFF = "[… more …]"
# The id and the position of the message that says how a turn broke off: after all others of the turn.
_END = "end"
_LAST = (1 << 62, 0)

# The fields of a ShownMessage.
MessageFields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MessageId:
    """`<turn>.<step>.<index>`, or `<turn>.end` for the message that says how a turn broke off."""

    turn_id: str
    position: tuple[int, int]

    @classmethod
    def parse(cls, text: str) -> "MessageId | None":
        turn_id, dot, rest = text.partition(".")
        if rest == _END and turn_id:
            return cls(turn_id, _LAST)
        step, second_dot, index = rest.partition(".")
        is_whole = bool(turn_id and dot and second_dot) and _is_number(step) and _is_number(index)
        return cls(turn_id, (int(step), int(index))) if is_whole else None


@dataclass(frozen=True, slots=True)
class MessagePage:
    # The oldest first.
    messages: list[MessageFields]
    # The turns of the messages, by id.
    turns: dict[str, ShownTurn]
    # Whether there are older messages.
    has_more: bool


async def newest_messages(
    tx: Transaction, turn_id: str | None, limit: int, before: MessageId | None = None
) -> MessagePage:
    """Return the last `limit` messages of the conversation that ends with this turn, or those before `before`.

    The cost depends on how much is returned, not on the length of the conversation.
    """
    found: list[MessageFields] = []
    shown_turns: dict[str, ShownTurn] = {}
    count = _FEWEST
    while turn_id is not None:
        turns = await tx.turns.chain(turn_id, count)
        entries = _by_turn(await tx.journal.of_turns([turn.id for turn in turns]))
        for turn in turns:
            messages = turn_messages(turn, entries.get(turn.id, ()))
            shown_turns[turn.id] = shown_turn(turn, entries.get(turn.id, ()))
            if before is not None and turn.id == before.turn_id:
                messages = [message for message in messages if _position_of(message) < before.position]
            found[:0] = messages
            if len(found) >= limit:
                return _page(found, limit, shown_turns, has_older=turn.parent is not None)
        turn_id = turns[-1].parent if turns else None
        count = min(2 * count, _MOST)
    return _page(found, limit, shown_turns, has_older=False)


def _page(found: list[MessageFields], limit: int, shown_turns: dict[str, ShownTurn], *, has_older: bool) -> MessagePage:
    shown = found[-limit:]
    outlines = {of: shown_turns[of] for of in dict.fromkeys(message["turn_id"] for message in shown)}
    return MessagePage(shown, outlines, has_more=has_older or len(found) > limit)


def shown_turn(turn: Turn, entries: Sequence[Entry]) -> ShownTurn:
    costs = [spend_of(entry) for entry in entries if entry.kind in (EntryKind.ANSWER, EntryKind.SUMMARY)]
    usage = TurnCost(**cost_fields(sum(costs, Spend()))) if costs else None
    answers = [entry for entry in entries if entry.kind is EntryKind.ANSWER]
    changes = [_model_change(change) for entry in answers for change in model_changes_of(entry)]
    has_cut_answer = bool(answers) and is_cut(answers[-1])
    return ShownTurn(**outline_of(turn), model=turn.model, model_changes=changes, usage=usage, is_cut=has_cut_answer)


def _model_change(fields: dict[str, Any]) -> ModelChange:
    return ModelChange(failed=fields["from"], **{name: fields[name] for name in ("step", "to", "code", "message")})


def turn_messages(turn: Turn, entries: Sequence[Entry]) -> list[MessageFields]:
    """Return the turn's messages in order, without deleted ones; if it broke off, the last message says so."""
    entries = [entry for entry in entries if not is_gone(entry)]
    results = {(entry.step, entry.index): entry for entry in entries if entry.kind is EntryKind.RESULT}
    messages: list[MessageFields] = []
    for entry in sorted(entries, key=lambda entry: (entry.step, entry.index)):
        if entry.kind is EntryKind.INPUT:
            messages.append(_input(entry))
        elif entry.kind is EntryKind.ANSWER:
            messages += _answer(turn, entry, results)
        elif entry.kind is EntryKind.CUT:
            messages.append(_cut(entry))
        elif entry.kind is EntryKind.SUMMARY:
            messages.append(_summary(entry))
    messages += _ending(turn)
    return messages


def _by_turn(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    grouped: dict[str, list[Entry]] = {}
    for entry in entries:
        grouped.setdefault(entry.turn_id, []).append(entry)
    return grouped


def _input(entry: Entry) -> MessageFields:
    data = entry.data
    role = "note" if data["source"] == UNDO else "user"
    message = _message(entry.id, entry.turn_id, role, data["source"], data["text"], entry.at, notice=data.get("notice"))
    return message | _attached(entry)


def _answer(turn: Turn, entry: Entry, results: dict[tuple[int, int], Entry]) -> Iterator[MessageFields]:
    answer = answer_of(entry)
    if answer.text or answer.reasoning or not answer.calls:
        message = _message(entry.id, turn.id, "assistant", "assistant", answer.text, entry.at)
        yield message | {"reasoning": answer.reasoning or None, "model": model_of(entry) or turn.model}
    for index, call in calls_of(entry):
        yield _call(turn, entry, index, call, results.get((entry.step, index)))


def _cut(entry: Entry) -> MessageFields:
    """Return an answer that was cut off. It comes right before the message that says how the turn ended."""
    data = entry.data
    message = _message(entry.id, entry.turn_id, "assistant", "assistant", data["text"], entry.at)
    # Which model was writing is not recorded: it may have been a fallback.
    return message | {"reasoning": data["reasoning"] or None, "model": None}


def _summary(entry: Entry) -> MessageFields:
    summary = summary_of(entry)
    fields = {
        "reason": summary.reason,
        "tokens_before": summary.tokens_before,
        "tokens_after": summary.tokens_after,
        "model": summary.model or None,
    }
    return _message(entry.id, entry.turn_id, "note", "summary", summary.text, entry.at) | {"summary": fields}


def _call(turn: Turn, answer: Entry, index: int, call: ToolCall, result: Entry | None) -> MessageFields:
    recorded = {} if result is None else result.data
    text: str = recorded.get("text", "")
    shown = _cut_result(text)
    tool = {
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
        "result": None if result is None else shown,
        "truncated": len(text) > _MOST_RESULT,
        "full_size": len(text),
        "seconds": recorded.get("seconds"),
        "is_error": bool(recorded.get("is_error")) or (result is None and turn.status.is_final),
        "status": "done" if result is not None else _unfinished(turn),
        "changes": recorded.get("changes", []),
    }
    number = f"{turn.id}.{answer.step}.{index}"
    at = answer.at if result is None else result.at
    message = _message(number, turn.id, "tool", "tool", shown, at, tool=tool)
    return message | ({} if result is None else _attached(result))


def _attached(entry: Entry) -> MessageFields:
    files = attachments_of(entry)
    return {"attachments": [shown_fields(file) for file in files]} if files else {}


def _cut_result(text: str) -> str:
    """Return both ends of a result that is too long to send each time."""
    if len(text) <= _MOST_RESULT:
        return text
    return _both_ends(text, _PART_OF_RESULT, len(text))


def shorten_results(messages: Sequence[MessageFields]) -> None:
    """Cut the results for a page that folds them away and loads one when it is unfolded.

    Results are most of a long session. `content` repeats the result, so it is emptied.
    """
    for message in messages:
        tool = message["tool"]
        if tool is None or tool["result"] is None:
            continue
        message["content"] = ""
        tool["changes"] = [change | {"diff": _folded_diff(change["diff"])} for change in tool["changes"]]
        if tool["full_size"] > _MOST_FOLDED:
            tool["result"] = _both_ends(tool["result"], _PART_OF_FOLDED, tool["full_size"])
            tool["truncated"] = True


def _folded_diff(diff: str) -> str:
    """Return the beginning of a diff that is too long to send each time."""
    if len(diff) <= _MOST_RESULT:
        return diff
    return diff[: diff.rindex("\n", 0, _PART_OF_RESULT) + 1] + CUT_DIFF


def _both_ends(text: str, part: int, full_size: int) -> str:
    """Return `part` characters from each end. The middle of `text` may already be cut."""
    return f"{text[:part]}\n[… {full_size - 2 * part:,} characters are left out here …]\n{text[-part:]}"


def _unfinished(turn: Turn) -> str:
    return "interrupted" if turn.status.is_final else "running"


def _ending(turn: Turn) -> Iterator[MessageFields]:
    """Yield a message if the turn failed or was cancelled. A stop is a note, not an error."""
    if turn.status not in (TurnStatus.FAILED, TurnStatus.CANCELLED):
        return
    error = orjson.loads(turn.error) if turn.error else {}
    is_stop = turn.status is TurnStatus.CANCELLED
    content = "Stopped." if error.get("code") == "stopped" else error.get("message", "")
    role = "note" if is_stop else "error"
    message = _message(f"{turn.id}.{_END}", turn.id, role, "server", content, turn.closed_at or turn.opened_at)
    yield message | ({} if is_stop else {"code": error.get("code")})


def _message(
    number: str,
    turn_id: str,
    role: str,
    source: str,
    content: str,
    at: float,
    *,
    tool: Any = None,
    notice: Any = None,
) -> MessageFields:
    return {
        "id": number,
        "turn_id": turn_id,
        "role": role,
        "source": source,
        "content": content,
        "html": None,
        "tool": tool,
        "notice": notice,
        "created_at": time_text(at),
    }


def _position_of(message: MessageFields) -> tuple[int, int]:
    parsed = MessageId.parse(message["id"])
    assert parsed is not None
    return parsed.position


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 9
