"""Writes the words of this node's answers where other nodes can read them: a few times a second, in one statement.

They are not facts: the store may lose them, and then those of all unfinished answers are written again.
"""

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.words.words import LiveWords, Words
from wakeful.model.words import Said, WordsPart
from wakeful.store.base import SharedWords, Store

# The time between two writes.
_PERIOD_SECONDS = 0.1
# How long it may take to remove ended words, and to notice that another node has come.
_LOOK_SECONDS = 1.0
# How often the words that dead nodes left behind are removed.
_SWEEP_SECONDS = 60.0


class WordsSharer:
    def __init__(self, store: Store, words: LiveWords, node: str, clock: Clock) -> None:
        self._words = words
        self._node = node
        self._clock = clock
        # Sessions with unwritten words, and how many words of each step were written.
        self._fresh: set[str] = set()
        self._written: dict[Words, int] = {}
        self._has_readers = False
        self._looked_at = self._swept_at = float("-inf")
        self.job = Job("words sharer", self.sweep, clock, settling_seconds=_PERIOD_SECONDS, longest_pause=_LOOK_SECONDS)
        # None for a store that only this process can open: it has no other readers.
        self._shared = store.words
        if self._shared is not None:
            words.listen(self._hear)

    def _hear(self, session_id: str) -> None:
        if session_id not in self._fresh:
            self._fresh.add(session_id)
            self.job.wake()

    async def sweep(self) -> float | None:
        if self._shared is None:
            return None
        await self._look_around(self._shared)
        if not self._has_readers:
            # A node that comes later gets the unfinished answers from their first word.
            self._fresh = {session_id for session_id in self._fresh if self._words.of(session_id) is not None}
            self._written = {}
        elif self._words.may_show():
            await self._write(self._shared)
        return _LOOK_SECONDS if self._fresh or self._written else None

    async def _look_around(self, shared: SharedWords) -> None:
        now = self._clock.monotonic()
        if now - self._looked_at >= _LOOK_SECONDS:
            self._has_readers = await shared.has_readers(self._node)
            self._looked_at = now
        if now - self._swept_at >= _SWEEP_SECONDS:
            await shared.sweep()
            self._swept_at = now

    async def _write(self, shared: SharedWords) -> None:
        fresh, self._fresh = self._fresh, set()
        speaking = [words for session_id in fresh if (words := self._words.of(session_id)) is not None]
        parts = {words: self._part_of(words) for words in speaking}
        ended = [words for words in self._written if self._words.of(words.head.session_id) is not words]
        try:
            if parts or ended:
                await shared.write(list(parts.values()), [words.head for words in ended])
        except BaseException:
            # Rows may be missing, and readers stop at a gap: write all unfinished answers again from their start.
            self._fresh |= fresh | {words.head.session_id for words in self._written}
            self._written = dict.fromkeys(self._written, 0)
            raise
        for words in ended:
            del self._written[words]
        for words, part in parts.items():
            self._written[words] = part.first + len(part.said.cuts) - 1

    def _part_of(self, words: Words) -> WordsPart:
        written = self._written.get(words, 0)
        return WordsPart(words.head, words.turn_base, written + 1, Said.of(words.after(written, words.count)))
