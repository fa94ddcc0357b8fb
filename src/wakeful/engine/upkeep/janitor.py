"""Deletes what is no longer needed, so that no table grows for ever: old idempotency keys, dead nodes, old news,
posts, runs of schedules, texts that older versions left in claimed inbox rows, and what stood in files before agents
changed them. Then it gives free space back to the disk.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock, Equipment
from wakeful.engine.settings import EngineSettings
from wakeful.model.journal.change import KeptChange
from wakeful.model.tasks.task import Host
from wakeful.store.base import Body, Store, Transaction

_HOUR = 3600.0
_DAY = 24 * _HOUR
# How long after the end of its response a request may be repeated with the same key.
_KEY_SECONDS = _DAY
# How long an operator can inspect dead nodes.
_REMAINS_SECONDS = 7 * _DAY
# News and posts: long enough for a user who comes back from a holiday.
_NEWS_SECONDS = 30 * _DAY
# Long enough to see how a monthly schedule has fared.
_RUN_SECONDS = 90 * _DAY
_PERIOD_SECONDS = 600.0
# Rows per transaction: other writes wait for it.
_BATCH = 500
# Pages of the database file per transaction, and the pause after it for other writes.
_PAGES = 200
_PAUSE_SECONDS = 0.05


class Janitor:
    def __init__(self, store: Store, clock: Clock, settings: EngineSettings, host: Host, equipment: Equipment) -> None:
        self._store = store
        self._clock = clock
        self._undo_seconds = settings.undo_days * _DAY
        self._host = host
        self._changed_files = equipment.changed_files
        self._attachments = equipment.attachments
        self._never = asyncio.Event()
        self.job = Job("janitor", self.sweep, clock)

    async def sweep(self) -> float:
        for drop in _DROPS:
            await self.job.row(drop.__name__.strip("_"), partial(self._drop_all, drop))
        await self.job.row("attachments", self._attachments.tidy)
        if self._undo_seconds:
            await self.job.row("changes", self._drop_changes)
        await self.job.row("space", self._give_space_back)
        return _PERIOD_SECONDS

    async def _give_space_back(self) -> None:
        while await self._store.write(lambda tx: tx.purges.give_space_back(_PAGES)):
            await self._clock.wait(self._never, _PAUSE_SECONDS)

    async def _drop_changes(self) -> None:
        """Drop the copies first: after a crash in between their rows are still there, to be found again."""

        async def look(tx: Transaction) -> list[KeptChange]:
            return await tx.changes.old(self._host.id, await tx.now() - self._undo_seconds, _BATCH)

        while changes := await self._store.read(look):
            for change in changes:
                await self._changed_files.drop(change)
            await self._store.write(partial(_remove_changes, changes))

    async def _drop_all(self, drop: Body[int]) -> None:
        while await self._store.write(drop) == _BATCH:
            pass


async def _remove_changes(changes: Sequence[KeptChange], tx: Transaction) -> None:
    await tx.changes.remove(changes)


async def _drop_texts(tx: Transaction) -> int:
    return await tx.inbox.empty_taken(_BATCH)


async def _drop_keys(tx: Transaction) -> int:
    return await tx.idempotency_keys.drop_old(await tx.now() - _KEY_SECONDS, _BATCH)


async def _drop_nodes(tx: Transaction) -> int:
    return await tx.nodes.drop_old(await tx.now() - _REMAINS_SECONDS, _BATCH)


async def _drop_runs(tx: Transaction) -> int:
    return await tx.cron_jobs.drop_old_runs(await tx.now() - _RUN_SECONDS, _BATCH)


async def _drop_news(tx: Transaction) -> int:
    return await tx.news.drop_old(await tx.now() - _NEWS_SECONDS, _BATCH)


async def _drop_taken(tx: Transaction) -> int:
    return await tx.chats.drop_taken(await tx.now() - _REMAINS_SECONDS, _BATCH)


async def _drop_posts(tx: Transaction) -> int:
    return await tx.posts.drop_old(await tx.now() - _NEWS_SECONDS, _BATCH)


_DROPS = (
    _drop_keys,
    _drop_nodes,
    _drop_news,
    _drop_taken,
    _drop_posts,
    _drop_runs,
    _drop_texts,
)
