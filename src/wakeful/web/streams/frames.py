"""Turns facts of the log into frames. A fact makes the same frames for every reader."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.packed_json import pack
from wakeful.model.tasks.task_data import time_text

# The cursor after the frame, and the frame's lines without the `id` line.
Frame = tuple[str, bytes]

# Events that every reader of a session gets. The others belong to a turn and go only to readers with `turns=inline`.
_OF_SESSIONS = frozenset(
    {
        events.MESSAGE_QUEUED,
        events.TASK_STARTED,
        events.PROCESS_COMPLETE,
        events.WATCH_MATCH,
        events.APPROVAL_REQUIRED,
        events.APPROVAL_ANSWERED,
        events.SESSION_UPDATED,
        events.WAKE_WAITS,
        events.TODO,
    }
)

SERVER_TURN_STARTED = "server_turn_started"
TURN_COMPLETED = "turn_completed"


@dataclass(frozen=True, slots=True)
class _BareFrame:
    """One of the frames of an event, without its cursor."""

    name: str
    data: bytes
    # Only for readers with `turns=inline`.
    is_inline: bool = False


def on_the_wire(frames: Iterable[Frame], before: str = "", after: str = "") -> bytes:
    """Join frames into the bytes of one write. `before` and `after` surround each cursor in the `id`."""
    return b"".join([b"id: %b\n%b" % (f"{before}{at}{after}".encode(), lines) for at, lines in frames])


def lines_of(name: str, data: bytes) -> bytes:
    """Return the lines of a frame. `data` is JSON on one line."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)


def session_frames(event: Event, seen: int, *, inline: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the event's frames after the first `seen`: how many have been seen after it (0: all), and its lines.

    The count includes inline frames for every reader, so that a cursor works with and without them.
    """
    parts = list(enumerate(_parts(event), start=1))[seen:]
    wanted = [(index, part) for index, part in parts if inline or not part.is_inline]
    for number, (index, part) in enumerate(wanted, start=1):
        yield 0 if number == len(wanted) else index, lines_of(part.name, part.data)


def is_given_out(event: Event, frames: int) -> bool:
    """Return whether a cursor can point after this number of the event's frames: after some of them, but not all."""
    return 0 < frames < sum(1 for _ in _parts(event))


def started_data(session_id: str, turn_id: str, source: str, **more: Any) -> bytes:
    return pack({"session_id": session_id, "turn_id": turn_id, "stream_id": turn_id, "source": source, **more})


def _parts(event: Event) -> Iterator[_BareFrame]:
    if event.kind in _OF_SESSIONS:
        yield _BareFrame(event.kind, _session_data(event))
        return
    if event.kind == events.TURN_STARTED and event.turn_id is not None:
        yield _BareFrame(SERVER_TURN_STARTED, started_data(event.session_id, event.turn_id, event.data["source"]))
    yield _BareFrame(event.kind, _inline_data(event), is_inline=True)
    if event.is_final:
        yield _closing(event)


def _session_data(event: Event) -> bytes:
    if event.kind != events.WAKE_WAITS:
        return event.payload
    data = event.data
    return pack(data | {"until": time_text(data["until"])})


def _inline_data(event: Event) -> bytes:
    return pack(event.data | {"session_id": event.session_id, "turn_id": event.turn_id})


def _closing(event: Event) -> _BareFrame:
    if event.turn_seq == 1:
        # The turn was queued but never opened: its message was withdrawn, or joined another turn.
        data = {"session_id": event.session_id, "changed": ["queued"], "turn_id": event.turn_id}
        return _BareFrame(events.SESSION_UPDATED, pack(data))
    data = {
        "session_id": event.session_id,
        "turn_id": event.turn_id,
        "stream_id": event.turn_id,
        "status": event.kind,
    }
    return _BareFrame(TURN_COMPLETED, pack(data))
