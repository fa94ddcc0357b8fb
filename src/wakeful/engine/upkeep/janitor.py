"""Forgets what nobody needs any more, so that nothing grows for ever: old keys of requests, webhooks that were given
up, nodes that have died, old news. What that frees on the disk is given back.
"""

import asyncio
from functools import partial

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.store.base import Body, Store, Transaction

_HOUR = 3600.0
_DAY = 24 * _HOUR
# A request may be sent again with its key for so long after its response has ended.
_KEY_SECONDS = _DAY
# So long somebody may want to look at what never arrived, or at a node that died.
_REMAINS_SECONDS = 7 * _DAY
# As long as the longest holiday after which a person may want to read what happened.
_NEWS_SECONDS = 30 * _DAY
_PERIOD_SECONDS = 600.0
# Rows in one transaction: others want to write, too.
_BATCH = 500
# Pages of the file in one transaction, and the room for others after it.
_PAGES = 200
_PAUSE_SECONDS = 0.05


class Janitor:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._never = asyncio.Event()
        self.job = Job("janitor", self.sweep, clock)

    async def sweep(self) -> float:
        for drop in (_drop_keys, _drop_deliveries, _drop_nodes, _drop_news, _drop_texts):
            await self.job.row(drop.__name__.strip("_"), partial(self._drop_all, drop))
        await self.job.row("space", self._give_space_back)
        return _PERIOD_SECONDS

    async def _give_space_back(self) -> None:
        while await self._store.write(lambda tx: tx.purges.give_space_back(_PAGES)):
            await self._clock.wait(self._never, _PAUSE_SECONDS)

    async def _drop_all(self, drop: Body[int]) -> None:
        while await self._store.write(drop) == _BATCH:
            pass


async def _drop_texts(tx: Transaction) -> int:
    return await tx.inbox.empty_taken(_BATCH)


async def _drop_keys(tx: Transaction) -> int:
    return await tx.idempotency_keys.drop_old(await tx.now() - _KEY_SECONDS, _BATCH)


async def _drop_deliveries(tx: Transaction) -> int:
    return await tx.deliveries.drop_given_up(await tx.now() - _REMAINS_SECONDS, _BATCH)


async def _drop_nodes(tx: Transaction) -> int:
    return await tx.nodes.drop_old(await tx.now() - _REMAINS_SECONDS, _BATCH)


async def _drop_news(tx: Transaction) -> int:
    return await tx.news.drop_old(await tx.now() - _NEWS_SECONDS, _BATCH)
