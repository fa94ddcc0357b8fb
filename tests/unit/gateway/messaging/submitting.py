"""An engine that takes messages and answers none."""

from collections.abc import Awaitable, Callable
from typing import Any

from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.store.base import Store


class SubmittingEngine:
    """Runs what has to happen before a message is in, and keeps the message."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.submissions: list[Submission] = []
        # What the next submissions meet, in order, before anything of them is written.
        self.meets: list[Callable[[], Awaitable[None]]] = []

    async def submit(self, submission: Submission, *, before: Any) -> Receipt:
        if self.meets:
            await self.meets.pop(0)()
        known: Receipt | None = await self._store.write(before)
        if known is not None:
            return known
        if (session := submission.session) is not None:
            await self._store.write(lambda tx: tx.sessions.create_if_absent(session))
        self.submissions.append(submission)
        return Receipt(submission.session_id, submission.turn_id, is_queued=False)
