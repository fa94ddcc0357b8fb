"""Shows one turn on its platform while it runs: that it is at work, and the words of its answers as they grow."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import partial

from wakeful.engine.engine import Engine
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.outbox.postman import Postman
from wakeful.gateway.messaging.outbox.projection import PostWriter, is_live
from wakeful.gateway.messaging.platform import Platform
from wakeful.gateway.messaging.settings import DoorSettings
from wakeful.gateway.messaging.text.forms import FORMS
from wakeful.gateway.messaging.text.split import split
from wakeful.model.event import STEP_ABANDONED, TOKEN, Event, StreamItem
from wakeful.model.journal.entry import EntryKind
from wakeful.model.messaging.post import Post
from wakeful.model.session import Session
from wakeful.model.turn import Turn
from wakeful.model.words import Word
from wakeful.store.base import Store, Transaction

# An answer is first shown when it has this many letters, or after this many seconds.
_FIRST_LETTERS = 40
_FIRST_SECONDS = 1.0
# A text of this length takes longer to cut into messages than other readers should wait.
_LONG = 4_000

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Step:
    """The words of the step that is being answered, and the posts that show them."""

    number: int
    began_at: float
    text: str = ""
    posts: list[Post] = field(default_factory=list)

    def is_due(self, now: float) -> bool:
        return len(self.text) >= _FIRST_LETTERS or now >= self.began_at + _FIRST_SECONDS


class LiveTurn:
    def __init__(
        self,
        engine: Engine,
        store: Store,
        platform: Platform,
        postman: Postman,
        settings: DoorSettings,
        session: Session,
        turn: Turn,
        project: Callable[[str], Awaitable[None]],
        lock: asyncio.Lock,
    ) -> None:
        """`project` makes posts of the facts of a session, and holds the lock meanwhile."""
        self._engine = engine
        self._store = store
        self._platform = platform
        self._postman = postman
        self._settings = settings
        self._session = session
        self._turn = turn
        self._project = project
        self._lock = lock
        self._step: _Step | None = None
        self._grown = asyncio.Event()

    async def run(self) -> None:
        """Return when the turn has ended."""
        typing = asyncio.create_task(self._type(), name=f"{self._turn.id} types")
        showing = asyncio.create_task(self._show(), name=f"{self._turn.id} is shown")
        try:
            await self._follow()
        finally:
            for task in (typing, showing):
                task.cancel()
            await asyncio.gather(typing, showing, return_exceptions=True)
            with suppress(WakefulError):
                await self._platform.show_typing(self._turn.address, is_over=True)

    async def _follow(self) -> None:
        log = self._engine.subscribe_turn(self._session.id, self._turn.id)
        async with aclosing(log) as pages:
            async for page in pages:
                for item in page:
                    await self._take(item)

    async def _take(self, item: StreamItem) -> None:
        if isinstance(item, Word):
            self._add(item)
        elif item.ends is not None or item.is_final:
            await self._end_step(item)

    def _add(self, word: Word) -> None:
        if word.kind != TOKEN or not self._shows_words:
            return
        if self._step is None or self._step.number != word.head.step:
            self._step = _Step(word.head.step, asyncio.get_running_loop().time())
        self._step.text += word.text
        self._grown.set()

    async def _end_step(self, fact: Event) -> None:
        """The posts get the words that are recorded; those of an abandoned step wait for the words that replace it."""
        step, self._step = self._step, None
        if fact.kind == STEP_ABANDONED:
            return
        await self._project(self._session.id)
        if step is not None:
            self._postman.stop_growing([post.key for post in step.posts])

    @property
    def _shows_words(self) -> bool:
        return self._settings.streams and is_live(self._turn)

    async def _show(self) -> None:
        """Bring the posts of the open step up to date, at most as often as the platform is to be asked."""
        while True:
            await self._grown.wait()
            self._grown.clear()
            step = self._step
            if step is None:
                continue
            if not step.is_due(asyncio.get_running_loop().time()):
                asyncio.get_running_loop().call_later(_FIRST_SECONDS, self._grown.set)
                continue
            await self._show_step(step)
            await asyncio.sleep(self._settings.edit_seconds / 2)

    async def _show_step(self, step: _Step) -> None:
        text = step.text
        if not text.strip():
            return
        known = len(step.posts)
        parts = await self._parts(text) if known else []
        if known == 0 or len(parts) > known:
            async with self._lock:
                posts = await self._store.write(partial(self._write, step.number, text))
            # The step may have ended meanwhile: then its recorded words have been written, or will be.
            if self._step is step:
                step.posts = posts
                self._postman.job.wake()
            return
        if self._step is step:
            self._postman.grow(step.posts[-1].key, parts[-1])

    async def _parts(self, text: str) -> list[str]:
        form = FORMS[self._session.address.platform]
        return await asyncio.to_thread(split, text, form) if len(text) > _LONG else split(text, form)

    async def _write(self, step: int, text: str, tx: Transaction) -> list[Post]:
        # The facts of the turn may be made into posts at the same moment.
        await tx.outbox_cursors.hold(self._session.id)
        turn = await tx.turns.get(self._turn.id)
        # Words that are recorded by now are whole, and these may be the first of them.
        if turn is None or turn.status.is_final or await self._is_answered(tx, step):
            return []
        return await PostWriter(tx, self._session, self._settings).answer(turn, step, text)

    async def _is_answered(self, tx: Transaction, step: int) -> bool:
        entries = await tx.journal.of_step(self._turn.id, step)
        return any(entry.kind in (EntryKind.ANSWER, EntryKind.CUT) for entry in entries)

    async def _type(self) -> None:
        while True:
            try:
                await self._platform.show_typing(self._turn.address)
            except WakefulError as error:
                logger.debug("%s shows no typing: %s", self._platform.name, error)
            await asyncio.sleep(self._platform.typing_seconds)
