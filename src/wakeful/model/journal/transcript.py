"""Folds the journal of a conversation into messages. All doors use this fold and format its result."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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
    result_message,
    summary_of,
    usage_of,
)
from wakeful.model.journal.fact import Measure, OpenCall
from wakeful.model.journal.message import AssistantMessage, Message, ToolMessage
from wakeful.model.tools.failure import failure_text

INTERRUPTED = failure_text(
    "interrupted", "interrupted: the turn ended before this call had a result; whether it took effect is unknown"
)


@dataclass(slots=True)
class Transcript:
    """A conversation up to some point, and the state of its last turn."""

    messages: list[Message] = field(default_factory=list)
    last_step: int = 0
    open_calls: list[OpenCall] = field(default_factory=list)
    # The last answer made calls that the client runs: the turn ends when ours are done.
    waits_for_client: bool = False
    is_answered: bool = False
    # The last answer reached the model's output limit.
    is_cut: bool = False
    output_tokens: int = 0
    # How many calls of the server's tools the last turn has made.
    calls_made: int = 0
    # Outputs from a client that belong to no open call: they are not among the messages.
    strays: list[Entry] = field(default_factory=list)
    # The role of the last message if a client sent it, else empty.
    last_role: str = ""
    # As of the last answer or summary.
    measure: Measure = field(default_factory=Measure)
    # Not after a summary that was deleted: later answers have read less than what the messages now are.
    is_measured: bool = True
    # The summaries of the last turn, and how many of them were in vain.
    summaries: int = 0
    vain_summaries: int = 0


def fold(entries: Sequence[Entry], turn_id: str, after: Transcript | None = None) -> Transcript:
    """Fold the journal of a chain of turns, oldest first, that ends with the turn `turn_id`. With `after`, which
    `extend` has made of the first turns, `entries` are those of the other turns.

    Calls without a result are answered by the client's next messages, or else as interrupted, because providers refuse
    a conversation with unanswered calls. Those of the last turn's last answer stay open: its loop decides about them,
    except for calls that the client runs. Entries that were deleted or cut off are skipped, and so are those that a
    summary stands for; `after` must not be needed for a summary among `entries`.
    """
    transcript = extend(after or Transcript(), entries)
    last: Entry | None = None
    for entry in (own for own in entries if own.turn_id == turn_id):
        if entry.kind is EntryKind.SUMMARY:
            transcript.last_step = entry.step
            transcript.summaries += 1
            transcript.vain_summaries += summary_of(entry).is_vain
        elif entry.kind is EntryKind.ANSWER and not _is_skipped(entry):
            transcript.calls_made += _server_calls(entry)
            last = entry
            transcript.last_step = entry.step
            transcript.output_tokens += usage_of(entry).output_tokens
    if last is None:
        _answer_open_calls(transcript)
    else:
        _set_state(transcript, last)
    return transcript


def extend(before: Transcript, entries: Sequence[Entry]) -> Transcript:
    """Return the conversation with more entries. Its last calls stay open, because later entries may answer them."""
    transcript = Transcript(
        messages=before.messages.copy(),
        open_calls=before.open_calls.copy(),
        strays=before.strays.copy(),
        last_role=before.last_role,
        measure=before.measure,
        is_measured=before.is_measured,
    )
    for whole in since_summary(entries):
        if _is_skipped(whole):
            transcript.is_measured &= whole.kind is not EntryKind.SUMMARY
        else:
            _extend_by(transcript, parts_of(whole))
    return transcript


def _extend_by(transcript: Transcript, parts: Sequence[Entry]) -> None:
    for entry in parts:
        if entry.kind is EntryKind.SUMMARY:
            _add_summary(transcript, entry)
            continue
        role = _role_of(entry)
        if role == transcript.last_role == "assistant" and _continue_answer(transcript, input_message(entry)):
            continue
        transcript.last_role = role
        if entry.kind is not EntryKind.RESULT and role != "tool":
            _answer_open_calls(transcript)
        _add(transcript, entry)


def since_summary(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return the entries that the context is made of: from the first one that the newest summary keeps, without older
    summaries. All of them if there is no summary.
    """
    at = max((at for at, entry in enumerate(entries) if is_summary(entry)), default=None)
    if at is None:
        return entries
    first = summary_of(entries[at]).keeps_from
    kept_at = next((number for number, entry in enumerate(entries[:at]) if entry.id == first), at)
    return [*(entry for entry in entries[kept_at:at] if entry.kind is not EntryKind.SUMMARY), *entries[at:]]


def is_summary(entry: Entry) -> bool:
    """Whether it is a summary that models read."""
    return entry.kind is EntryKind.SUMMARY and not is_gone(entry)


def _is_skipped(entry: Entry) -> bool:
    return entry.kind is EntryKind.CUT or is_gone(entry)


def _set_state(transcript: Transcript, last: Entry) -> None:
    """Set what depends on `last`, the last turn's last answer."""
    client_calls = client_call_numbers(last)
    transcript.waits_for_client = bool(client_calls)
    transcript.open_calls = [call for call in transcript.open_calls if call.index not in client_calls]
    is_final = bool(client_calls) or not answer_of(last).calls
    # Messages that joined after it have to be answered, too.
    newest = transcript.messages[-1]
    is_newest = isinstance(newest, AssistantMessage | ToolMessage)
    transcript.is_answered = is_final and is_newest and not transcript.open_calls
    transcript.is_cut = is_cut(last)


def _server_calls(answer: Entry) -> int:
    client_calls = client_call_numbers(answer)
    return sum(number not in client_calls for number, _ in calls_of(answer))


def _role_of(entry: Entry) -> str:
    """Return the role of a client's message; empty for other entries."""
    return str(entry.data.get("role", "user")) if entry.kind is EntryKind.INPUT else ""


def _continue_answer(transcript: Transcript, more: Message) -> bool:
    """Join a client's message to the answer before it. Clients send an answer's text and each of its calls apart; to
    the model they are one message. Two texts without calls are two answers: False.
    """
    begun = transcript.messages[-1]
    assert isinstance(begun, AssistantMessage)
    assert isinstance(more, AssistantMessage)
    if begun.text and more.text and not (begun.calls or more.calls):
        return False
    whole = replace(begun, text=begun.text + more.text, calls=begun.calls + more.calls)
    transcript.messages[-1] = whole
    transcript.open_calls = _brought(whole)
    return True


def _add_summary(transcript: Transcript, entry: Entry) -> None:
    """Put the summary before the messages that it keeps, which are all so far."""
    _answer_open_calls(transcript)
    summary = summary_of(entry)
    transcript.messages[:0] = summary.messages(entry.id)
    transcript.measure = Measure(summary.tokens_after, len(transcript.messages))
    transcript.is_measured = True


def _add(transcript: Transcript, entry: Entry) -> None:
    if entry.kind is EntryKind.RESULT:
        transcript.messages.append(result_message(entry))
        transcript.open_calls = [call for call in transcript.open_calls if call.index != entry.index]
        return
    if entry.kind is EntryKind.ANSWER:
        transcript.messages.append(answer_of(entry))
        transcript.open_calls = [OpenCall(number, call) for number, call in calls_of(entry)]
        if transcript.is_measured:
            transcript.measure = transcript.measure.after(usage_of(entry), len(transcript.messages))
        return
    message = input_message(entry)
    if isinstance(message, ToolMessage):
        waiting = [call for call in transcript.open_calls if call.call.id != message.call_id]
        if len(waiting) == len(transcript.open_calls):
            # Providers refuse an output without a call and a second output of a call: the first one counts.
            transcript.strays.append(entry)
            return
        transcript.open_calls = waiting
    transcript.messages.append(message)
    if isinstance(message, AssistantMessage):
        transcript.open_calls = _brought(message)


def _brought(answer: AssistantMessage) -> list[OpenCall]:
    """Return the calls of an answer that a client sent. Their outputs name them by their ids, so any index will do."""
    return [OpenCall(index, call) for index, call in enumerate(answer.calls)]


def _answer_open_calls(transcript: Transcript) -> None:
    for open_call in transcript.open_calls:
        transcript.messages.append(ToolMessage(open_call.call.id, INTERRUPTED, is_error=True))
    transcript.open_calls = []
