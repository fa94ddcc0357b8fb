"""The HTML of answers as they are being written, for one reader of a session: what to tell it before an event.

A patch for every token would cost more than it shows. The next one waits ten times as long as the last one took, and
a moment at least; the end of a step is always told at once.
"""

import asyncio
import time
from collections.abc import Callable, Sequence

import orjson

from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.web.step_html import Patch, StepHtml

ANSWER_HTML = "answer_html"

_SHORTEST_PAUSE = 0.03
_LONGEST_PAUSE = 1.0
_PAUSE_PER_WORK = 10
_BYTES_A_SECOND = 250_000
# More than this is rendered on a thread: the event loop has other readers.
_LONG = 8_000
# After these the text of their step is whole.
_ENDS_STEP = frozenset({events.TOOL, events.USAGE})


class LiveHtml:
    def __init__(self, session_id: str, known: int, told: Sequence[Event] = ()) -> None:
        """`known`: events up to this one have happened already; `told`: those of the open step that the reader has."""
        self._session_id = session_id
        self._known = known
        self._turn_id = ""
        self._number = 0
        self._step: StepHtml | None = None
        # By the clock: when the next patch may be made.
        self._next_at = 0.0
        for event in told:
            if event.kind == events.TOKEN:
                self._take(event)

    def patience(self) -> float | None:
        """How long to wait for the next event before the reader is told what it has not seen; None: for ever."""
        if self._step is None or not self._step.is_changed:
            return None
        return max(0.0, self._next_at - time.monotonic())

    async def first(self) -> list[bytes]:
        """Whoever comes in the middle of a step is told all of it."""
        if self._step is None or self._step.is_empty:
            return []
        return [self._data(await self._made(self._step.whole))]

    async def before(self, event: Event) -> list[bytes]:
        """What the reader is told before the frames of this event."""
        if event.kind == events.TOKEN:
            ended = await self._ended() if not self._is_open(event) else []
            self._take(event)
            is_due = time.monotonic() >= self._next_at and event.session_seq >= self._known
            return ended + (await self.now() if is_due else [])
        if self._step is None or event.turn_id != self._turn_id:
            return []
        if event.kind == events.STEP_ABANDONED:
            self._step = None
        elif event.is_final or event.kind in _ENDS_STEP:
            return await self._ended()
        return []

    async def now(self) -> list[bytes]:
        if self._step is None:
            return []
        return [self._data(await self._made(self._step.patch))]

    async def _ended(self) -> list[bytes]:
        if self._step is None:
            return []
        step, patch = self._step, await self._made(self._step.final)
        data = self._data(patch)
        if self._step is step:
            self._step = None
        return [data]

    async def _made(self, make: Callable[[], Patch]) -> Patch:
        began = time.monotonic()
        is_long = self._step is not None and self._step.size > _LONG
        patch = await asyncio.to_thread(make) if is_long else make()
        took = time.monotonic() - began
        size = sum(map(len, patch.blocks))
        pause = max(_SHORTEST_PAUSE, took * _PAUSE_PER_WORK, size / _BYTES_A_SECOND)
        self._next_at = time.monotonic() + min(_LONGEST_PAUSE, pause)
        return patch

    def _is_open(self, event: Event) -> bool:
        return self._step is not None and (event.turn_id, event.data["step"]) == (self._turn_id, self._number)

    def _take(self, event: Event) -> None:
        data = event.data
        if not self._is_open(event):
            self._turn_id, self._number, self._step = event.turn_id or "", data["step"], StepHtml()
        assert self._step is not None
        self._step.add(data["text"])

    def _data(self, patch: Patch) -> bytes:
        return orjson.dumps(
            {
                "session_id": self._session_id,
                "turn_id": self._turn_id,
                "step": self._number,
                "from": patch.start,
                "blocks": patch.blocks,
                "is_final": patch.is_final,
            }
        )
