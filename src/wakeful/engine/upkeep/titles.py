"""Asks a model for a better title after the first answer in a session of the page: at most twice, in the background. A
title that the user has chosen stays.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from wakeful.engine.inbox.title import title_from
from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.errors import ConfigError, TurnFailed
from wakeful.model.event import DONE, SESSION_UPDATED, NewEvent
from wakeful.model.journal.entry import EntryKind, answer_of
from wakeful.model.session import Session, TitleOrigin
from wakeful.model.spend import Spend
from wakeful.store.base import Body, Signal, Store, Transaction

# Only sessions of the page: an API client pays for no model call but its answer.
_PLATFORM = "web"
_TRIES = 2
_SECONDS = 30.0

# Takes the model's name, the user's message and the answer; returns a title and what it cost.
AskForTitle = Callable[[str, str, str], Awaitable[tuple[str, Spend]]]

logger = logging.getLogger(__name__)


class Titles:
    def __init__(self, store: Store, ask: AskForTitle, clock: Clock) -> None:
        self._store = store
        self._ask = ask
        self._waiting: deque[str] = deque()
        self.job = Job("titles", self.sweep, clock, first_wait=None)
        store.notifier.listen(self._hear)

    async def sweep(self) -> None:
        """Improve the waiting titles one by one. If the store fails, a session keeps its first words: a title is not
        worth a retry.
        """
        while self._waiting:
            session_id = self._waiting.popleft()
            await self.job.row(session_id, partial(self.improve, session_id))

    async def improve(self, session_id: str) -> None:
        """Ask for a title if the session still has its first words as one. The try is counted before it is made."""
        # Most sessions are no candidates, and a read costs less than a write.
        if not await self._store.read(_is_candidate(session_id)):
            return
        asked = await self._store.write(_count_try(session_id), lock=[session_id])
        if asked is None:
            return
        model, said, answered = asked
        try:
            async with asyncio.timeout(_SECONDS):
                title, spend = await self._ask(model, said, answered)
        except (TurnFailed, ConfigError, TimeoutError) as error:
            logger.info("session %s keeps its first words as its title: %s", session_id, str(error) or "too slow")
            return
        await self._store.write(_name(session_id, title_from(title), spend), lock=[session_id])

    def _hear(self, signal: Signal) -> None:
        for event in signal.events:
            if event.kind == DONE and (event.turn_seq or 0) > 1:
                self._waiting.append(event.session_id)
                self.job.wake()


def _is_candidate(session_id: str) -> Body[bool]:
    async def body(tx: Transaction) -> bool:
        session = await tx.sessions.get(session_id)
        return session is not None and _may_improve(session)

    return body


def _count_try(session_id: str) -> Body[tuple[str, str, str] | None]:
    async def body(tx: Transaction) -> tuple[str, str, str] | None:
        session = await tx.sessions.get(session_id)
        if session is None or not _may_improve(session) or session.checkpoint is None:
            return None
        turn = await tx.turns.get(session.checkpoint)
        entries = await tx.journal.of_turns([session.checkpoint])
        said = [entry.data["text"] for entry in entries if entry.kind is EntryKind.INPUT]
        answers = [answer_of(entry).text for entry in entries if entry.kind is EntryKind.ANSWER]
        if turn is None or not said:
            return None
        await tx.sessions.count_title_try(session_id)
        return session.model or turn.model, said[-1], answers[-1] if answers else ""

    return body


def _name(session_id: str, title: str, spend: Spend) -> Body[None]:
    """Count what the title has cost, and give it to the session unless it is empty or comes too late."""

    async def body(tx: Transaction) -> None:
        session = await tx.sessions.get(session_id)
        if session is None:
            return
        await tx.spending.add(session_id, spend)
        if not title or session.is_deleted or session.title_origin is not TitleOrigin.WORDS:
            return
        await tx.sessions.name(session_id, title, TitleOrigin.MODEL)
        data = {"session_id": session_id, "changed": ["title"]}
        await tx.events.append(session_id, None, [NewEvent.of(SESSION_UPDATED, data)])

    return body


def _may_improve(session: Session) -> bool:
    is_of_page = session.address.platform == _PLATFORM and session.is_shown
    return (
        is_of_page
        and not session.is_deleted
        and session.title_origin is TitleOrigin.WORDS
        and session.title_tries < _TRIES
    )
