"""The one fold of a turn's journal into messages. Every door formats its result."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wakeful.model.failure import failure_text
from wakeful.model.journal.entry import (
    Entry,
    EntryKind,
    answer_of,
    calls_of,
    client_call_numbers,
    input_message,
    is_cut,
    is_gone,
    parts_of,
    usage_of,
)
from wakeful.model.journal.fact import OpenCall
from wakeful.model.journal.message import AssistantMessage, Message, ToolMessage

INTERRUPTED = failure_text(
    "interrupted", "interrupted: the turn ended before this call had a result; whether it took effect is unknown"
)


@dataclass(slots=True)
class Transcript:
    """A conversation up to some point, and where its last turn stands."""

    messages: list[Message] = field(default_factory=list)
    last_step: int = 0
    open_calls: list[OpenCall] = field(default_factory=list)
    # The last answer made calls that the client runs: when ours are done, so is the turn.
    waits_for_client: bool = False
    is_answered: bool = False
    # The last answer reached the model's output limit.
    is_cut: bool = False
    output_tokens: int = 0
    # How many calls, but for the client's, the last turn has made.
    calls_made: int = 0
    # Outputs from a client that answer no call which waits for one: they are not among the messages.
    strays: list[Entry] = field(default_factory=list)
    # Whose words a client gave last; empty where the last words are not from a client.
    last_role: str = ""


def fold(entries: Sequence[Entry], turn_id: str, after: Transcript | None = None) -> Transcript:
    """Fold the journal of a chain of turns, oldest first, that ends with the turn `turn_id`; or, with what `extend` has
    made of the first turns, that of the others.

    Calls without a result are answered by a client in the words that follow, or else as interrupted, because providers
    refuse a conversation with unanswered calls. Those of the last turn's last answer stay open: its loop decides about
    them, but not about those that the client runs. What was deleted or cut off is passed over, as if it had never been
    there.
    """
    transcript = extend(after or Transcript(), entries)
    last: Entry | None = None
    for entry in entries:
        if entry.turn_id == turn_id and entry.kind is EntryKind.ANSWER and not _is_passed_over(entry):
            transcript.calls_made += _server_calls(entry)
            last = entry
            transcript.last_step = entry.step
            transcript.output_tokens += usage_of(entry).output_tokens
    if last is None:
        _answer_open_calls(transcript)
    else:
        _find_standing(transcript, last)
    return transcript


def extend(before: Transcript, entries: Sequence[Entry]) -> Transcript:
    """The same conversation with more entries: not at its end yet, so calls may still be answered by what follows."""
    transcript = Transcript(
        messages=before.messages.copy(),
        open_calls=before.open_calls.copy(),
        strays=before.strays.copy(),
        last_role=before.last_role,
    )
    for entry in (part for whole in entries if not _is_passed_over(whole) for part in parts_of(whole)):
        role = _role_of(entry)
        if role == transcript.last_role == "assistant" and _go_on_with_answer(transcript, input_message(entry)):
            continue
        transcript.last_role = role
        if entry.kind is not EntryKind.RESULT and role != "tool":
            _answer_open_calls(transcript)
        _add(transcript, entry)
    return transcript


def _is_passed_over(entry: Entry) -> bool:
    return entry.kind is EntryKind.CUT or is_gone(entry)


def _find_standing(transcript: Transcript, last: Entry) -> None:
    """`last` is the last turn's last answer."""
    client_calls = client_call_numbers(last)
    transcript.waits_for_client = bool(client_calls)
    transcript.open_calls = [call for call in transcript.open_calls if call.index not in client_calls]
    is_final = bool(client_calls) or not answer_of(last).calls
    # Words that joined after it have to be answered, too.
    newest = transcript.messages[-1]
    is_newest = isinstance(newest, AssistantMessage | ToolMessage)
    transcript.is_answered = is_final and is_newest and not transcript.open_calls
    transcript.is_cut = is_cut(last)


def _server_calls(answer: Entry) -> int:
    client_calls = client_call_numbers(answer)
    return sum(number not in client_calls for number, _ in calls_of(answer))


def _role_of(entry: Entry) -> str:
    """Whose words a client has given; empty for what is not from a client."""
    return str(entry.data.get("role", "user")) if entry.kind is EntryKind.INPUT else ""


def _go_on_with_answer(transcript: Transcript, more: Message) -> bool:
    """Clients give an answer piece by piece, each call on its own; to the model it is one message with its calls."""
    begun = transcript.messages[-1]
    assert isinstance(begun, AssistantMessage)
    assert isinstance(more, AssistantMessage)
    if begun.text and more.text and not (begun.calls or more.calls):
        return False
    whole = AssistantMessage(begun.text + more.text, begun.reasoning, begun.calls + more.calls)
    transcript.messages[-1] = whole
    transcript.open_calls = [OpenCall(i, call) for i, call in enumerate(whole.calls, start=1)]
    return True


def _add(transcript: Transcript, entry: Entry) -> None:
    if entry.kind is EntryKind.RESULT:
        data = entry.data
        transcript.messages.append(ToolMessage(data["call_id"], data["text"]))
        transcript.open_calls = [call for call in transcript.open_calls if call.index != entry.index]
        return
    if entry.kind is EntryKind.ANSWER:
        transcript.messages.append(answer_of(entry))
        transcript.open_calls = [OpenCall(number, call) for number, call in calls_of(entry)]
        return
    message = input_message(entry)
    if isinstance(message, ToolMessage):
        waiting = [call for call in transcript.open_calls if call.call.id != message.call_id]
        if len(waiting) == len(transcript.open_calls):
            # Providers refuse an output without a call, and a second one of the same call: the first stands.
            transcript.strays.append(entry)
            return
        transcript.open_calls = waiting
    transcript.messages.append(message)
    if isinstance(message, AssistantMessage):
        transcript.open_calls = [OpenCall(i, call) for i, call in enumerate(message.calls, start=1)]


def _answer_open_calls(transcript: Transcript) -> None:
    for open_call in transcript.open_calls:
        transcript.messages.append(ToolMessage(open_call.call.id, INTERRUPTED))
    transcript.open_calls = []
