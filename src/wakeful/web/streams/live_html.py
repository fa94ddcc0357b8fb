"""Renders answers as HTML while they are being written, as patches for one reader of a session.

A patch for every word would cost too much. After a patch that took t seconds the next one waits 10 t, within bounds;
the end of a step is patched at once. While a reader catches up, each step gets one patch.
"""

import asyncio
import time
from collections.abc import Callable, Sequence

import orjson

from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.words import Word
from wakeful.web.html.step_html import Patch, StepHtml
from wakeful.web.streams.frames import lines_of

ANSWER_HTML = "answer_html"

_SHORTEST_PAUSE = 0.03
_LONGEST_PAUSE = 1.0
_PAUSE_PER_WORK = 10
_BYTES_A_SECOND = 250_000
# Longer texts are rendered on a thread, so that they do not block the event loop.
_LONG = 8_000
# The text of a step is complete once one of these arrives.
_ENDS_STEP = frozenset({events.TOOL, events.USAGE})


class LiveHtml:
    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._turn_id = ""
        self._number = 0
        self._step: StepHtml | None = None
        self._is_behind = True
        # In time.monotonic(): no patch is made earlier.
        self._next_at = 0.0

    def patience(self) -> float | None:
        """Return the seconds until the next patch is due, or None if there is nothing to patch."""
        if self._is_behind or self._step is None or not self._step.is_changed:
            return None
        return max(0.0, self._next_at - time.monotonic())

    async def words(self, words: Sequence[Word]) -> list[bytes]:
        """Return the frames to send before these words of one step."""
        head = words[0].head
        for word in words:
            if word.kind == events.TOKEN:
                self._add(head.turn_id, head.step, word.text)
        return await self._due()

    async def fact(self, event: Event) -> list[bytes]:
        """Return the frames to send before those of this event."""
        if event.kind == events.TOKEN:
            # Logs of older versions hold words as events.
            self._add(event.turn_id or "", event.data["step"], event.data["text"])
            return await self._due()
        if self._step is None or event.turn_id != self._turn_id:
            return []
        if event.kind == events.STEP_ABANDONED:
            self.drop()
        elif event.is_final or event.kind in _ENDS_STEP:
            return await self._ended(self._step)
        return []

    async def now(self) -> list[bytes]:
        """Return the frame of the patch, if there is one, for a reader that has caught up."""
        self._is_behind = False
        if self._step is None or not self._step.is_changed:
            return []
        return [self._lines(await self._made(self._step, self._step.patch))]

    def drop(self) -> None:
        """Forget the step, whose text was taken back."""
        self._step = None

    async def _due(self) -> list[bytes]:
        return [] if self._is_behind or time.monotonic() < self._next_at else await self.now()

    async def _ended(self, step: StepHtml) -> list[bytes]:
        lines = self._lines(await self._made(step, step.final))
        self._step = None
        return [lines]

    async def _made(self, step: StepHtml, make: Callable[[], Patch]) -> Patch:
        began = time.monotonic()
        patch = await asyncio.to_thread(make) if step.size > _LONG else make()
        took = time.monotonic() - began
        size = sum(map(len, patch.blocks))
        pause = max(_SHORTEST_PAUSE, took * _PAUSE_PER_WORK, size / _BYTES_A_SECOND)
        self._next_at = time.monotonic() + min(_LONGEST_PAUSE, pause)
        return patch

    def _add(self, turn_id: str, number: int, text: str) -> None:
        if self._step is None or (turn_id, number) != (self._turn_id, self._number):
            self._turn_id, self._number, self._step = turn_id, number, StepHtml()
        self._step.add(text)

    def _lines(self, patch: Patch) -> bytes:
        data = {
            "session_id": self._session_id,
            "turn_id": self._turn_id,
            "step": self._number,
            "from": patch.start,
            "blocks": patch.blocks,
            "is_final": patch.is_final,
        }
        return lines_of(ANSWER_HTML, orjson.dumps(data))
