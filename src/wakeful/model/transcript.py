"""The one fold of a turn's journal into messages. Every door formats its result."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wakeful.model.fact import OpenCall
from wakeful.model.journal import Entry, EntryKind, answer_of, usage_of
from wakeful.model.message import AssistantMessage, Message, ToolMessage, UserMessage

INTERRUPTED = "interrupted: the turn ended before this call had a result; whether it took effect is unknown"


@dataclass(slots=True)
class Transcript:
    """A conversation up to some point, and where its last turn stands."""

    messages: list[Message] = field(default_factory=list)
    last_step: int = 0
    open_calls: list[OpenCall] = field(default_factory=list)
    is_answered: bool = False
    output_tokens: int = 0


def fold(entries: Sequence[Entry], turn_id: str) -> Transcript:
    """Fold the journal of a chain of turns, oldest first, that ends with the turn `turn_id`.

    Calls that an earlier turn left without a result are answered as interrupted, because providers refuse a
    conversation with unanswered calls. Those of the last turn stay open: its loop decides about them.
    """
    transcript = Transcript()
    speaking = ""
    for entry in entries:
        if entry.turn_id != speaking:
            _answer_open_calls(transcript)
            speaking = entry.turn_id
        _add(transcript, entry)
        if speaking == turn_id and entry.kind is EntryKind.ANSWER:
            transcript.last_step = entry.step
            transcript.output_tokens += usage_of(entry).output_tokens
    if speaking != turn_id:
        _answer_open_calls(transcript)
    last = transcript.messages[-1] if transcript.messages else None
    transcript.is_answered = transcript.last_step > 0 and isinstance(last, AssistantMessage) and not last.calls
    return transcript


def _add(transcript: Transcript, entry: Entry) -> None:
    if entry.kind is EntryKind.INPUT:
        transcript.messages.append(UserMessage(entry.data["text"]))
    elif entry.kind is EntryKind.ANSWER:
        answer = answer_of(entry)
        transcript.messages.append(answer)
        transcript.open_calls = [OpenCall(i, call) for i, call in enumerate(answer.calls, start=1)]
    else:
        data = entry.data
        transcript.messages.append(ToolMessage(data["call_id"], data["text"]))
        transcript.open_calls = [call for call in transcript.open_calls if call.index != entry.index]


def _answer_open_calls(transcript: Transcript) -> None:
    for open_call in transcript.open_calls:
        transcript.messages.append(ToolMessage(open_call.call.id, INTERRUPTED))
    transcript.open_calls = []
