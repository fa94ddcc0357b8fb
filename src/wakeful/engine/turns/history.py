"""The conversation before a turn, as the model reads it: from the newest summary on. Recently used conversations are
cached, so a turn folds only the entries that are new since its session's last turn.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wakeful.engine.inbox.assignment import Assignment
from wakeful.model.journal.entry import Chain, Entry
from wakeful.model.journal.transcript import Transcript, extend, fold, is_summary
from wakeful.store.base import Store, Transaction

# The size of all cached conversations together, in bytes of their journals.
_MOST_BYTES = 32 * 1024 * 1024
# How many conversations are cached; the query for new entries names each of them.
_MOST_KEPT = 64
# How many turns are read at once; of earlier turns only the folded messages stay in memory.
_MOST_READ = 200
# More entries than this are folded in a thread, so that other streams are not blocked meanwhile.
_MOST_ON_LOOP = 50


@dataclass(frozen=True, slots=True)
class _Kept:
    transcript: Transcript
    size: int


class History:
    def __init__(self, store: Store) -> None:
        self._store = store
        # By the last turn of each conversation, which has ended; ordered by last use.
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._size = 0
        self._revision = ""

    async def of(self, assignment: Assignment) -> Transcript:
        """Return the conversation up to the turn's last recorded entry."""
        turn = assignment.turn
        if assignment.journal is not None:
            return await _folded(assignment.journal, turn.id, None)
        chain = await self._read(turn.id)
        if any(entry.turn_id == turn.id and is_summary(entry) for entry in chain.entries):
            # What its summary keeps may lie in earlier turns, whose messages alone are cached.
            return await _folded(chain.entries, turn.id, None)
        base = None if chain.base is None else self._kept[chain.base]
        while chain.last is not None:
            base = await _grown(base, chain.entries)
            more = await self._read_after(turn.id, [chain.last])
            if more.revision != chain.revision:
                return await self.of(assignment)
            chain = replace(more, base=chain.base)
        own = [entry for entry in chain.entries if entry.turn_id == turn.id]
        before = chain.entries[: len(chain.entries) - len(own)]
        if turn.parent is not None:
            base = await _grown(base, before)
            self._keep(turn.parent, base, chain)
        return await _folded(own, turn.id, None if base is None else base.transcript)

    async def _read(self, turn_id: str) -> Chain:
        chain = await self._read_after(turn_id, list(self._kept))
        if chain.revision != self._revision:
            # Something was deleted from a conversation, perhaps from a cached one.
            self._kept.clear()
            self._size = 0
            self._revision = chain.revision
        has_summary = any(map(is_summary, chain.entries))
        if chain.base is not None and (has_summary or chain.base not in self._kept):
            # A summary may keep entries that are older than the cached conversation is long.
            return await self._read_after(turn_id, [])
        return chain

    async def _read_after(self, turn_id: str, known: Sequence[str]) -> Chain:
        async def body(tx: Transaction) -> Chain:
            return await tx.journal.of_chain_after(turn_id, known, _MOST_READ)

        return await self._store.read(body)

    def _keep(self, turn_id: str, kept: _Kept, chain: Chain) -> None:
        """Cache a conversation in place of the shorter one that it grew from: sessions seldom go back."""
        if chain.revision != self._revision:
            return
        self._drop(chain.base)
        self._drop(turn_id)
        self._kept[turn_id] = kept
        self._size += kept.size
        while self._size > _MOST_BYTES or len(self._kept) > _MOST_KEPT:
            self._drop(next(iter(self._kept)))

    def _drop(self, turn_id: str | None) -> None:
        if turn_id is not None and turn_id in self._kept:
            self._size -= self._kept.pop(turn_id).size


async def _grown(base: _Kept | None, more: Sequence[Entry]) -> _Kept:
    if base is not None and not more:
        return base
    before = base or _Kept(Transcript(), 0)
    transcript = await _followed(before.transcript, more)
    return _Kept(transcript, before.size + sum(len(entry.payload) for entry in more))


async def _followed(before: Transcript, entries: Sequence[Entry]) -> Transcript:
    if len(entries) <= _MOST_ON_LOOP:
        return extend(before, entries)
    return await asyncio.to_thread(extend, before, entries)


async def _folded(entries: Sequence[Entry], turn_id: str, after: Transcript | None) -> Transcript:
    if len(entries) <= _MOST_ON_LOOP:
        return fold(entries, turn_id, after)
    return await asyncio.to_thread(fold, entries, turn_id, after)
