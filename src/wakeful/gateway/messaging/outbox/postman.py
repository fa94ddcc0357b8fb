"""Takes posts to one destination: those of one lane one after another, those of other lanes beside them."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.supervisor import Supervisor
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.outbox.cures import cured, halve
from wakeful.gateway.messaging.outbox.manner import Manner
from wakeful.gateway.messaging.outbox.message import message_of
from wakeful.gateway.messaging.outbox.paces import Paces
from wakeful.gateway.messaging.persistence import pause_after
from wakeful.gateway.messaging.platform import Cure, Destination, NotTaken, Refused, Unanswered, Whereabouts
from wakeful.model.messaging.post import Post, PostKind, PostState, new_post_id
from wakeful.model.session import Address
from wakeful.store.base import Store, Transaction

_GRACE_SECONDS = 3.0
# How much longer than other posts a file may take.
_FILE_TIMES = 10
# Where nodes share a store, another one may have added a post and died before its signal was sent.
_LONGEST_WAIT_SECONDS = 30.0

logger = logging.getLogger(__name__)


class Postman:
    def __init__(self, store: Store, platform: Destination, node: str, manner: Manner, clock: Clock) -> None:
        self._store = store
        self._platform = platform
        self._node = node
        self._manner = manner
        self.job = Job(f"posts to {platform.name}", self.sweep, clock)
        self._lanes: dict[str, asyncio.Task[bool]] = {}
        self._paces = Paces(clock)
        # Words of answers that are being written, by the key of their post, and what the platform shows of them.
        self._growing: dict[str, str] = {}
        self._shown: dict[str, str] = {}

    @asynccontextmanager
    async def at_work(self, supervisor: Supervisor) -> AsyncIterator[None]:
        """Send while this is open. What is under way when it closes has a moment to end; what has not ended then counts
        as unknown at the next start.
        """
        # This may be opened again: another node may have sent posts in between.
        self.job.wake()
        try:
            async with supervisor.at_work(self.job):
                yield
        finally:
            under_way = list(self._lanes.values())
            if under_way:
                await asyncio.wait(under_way, timeout=_GRACE_SECONDS)
            for lane in under_way:
                lane.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    def grow(self, key: str, text: str) -> None:
        """Let a post show these words of an answer that is being written; they are stored when the answer is."""
        self._growing[key] = text
        self.job.wake()

    def stop_growing(self, keys: Sequence[str]) -> None:
        """Let posts show what is stored of them."""
        for key in keys:
            self._growing.pop(key, None)
        self.job.wake()

    async def say(self, address: Address, text: str) -> None:
        """Send a sentence that cannot be stored, because the disk is full. It is tried once: losing it is better than
        saying it twice.
        """
        post = Post(new_post_id(), "", address, PostKind.REMARK, text)
        try:
            async with asyncio.timeout(self._manner.send_timeout):
                await self._platform.send(post, message_of(post, text, self._manner.form))
        except (WakefulError, TimeoutError) as error:
            logger.info("%s: a sentence was not sent: %s", self._platform.name, error)

    async def sweep(self) -> float | None:
        """Begin what is due in each lane; return how long to wait for the next."""
        posts, now = await self._store.read(self._look)
        waits = [_LONGEST_WAIT_SECONDS]
        for lane, waiting in self._by_lane(posts).items():
            if lane in self._lanes or len(self._lanes) == self._manner.unordered_slots:
                continue
            post, wait = self._next(waiting, now)
            if post is None:
                waits.append(wait)
            else:
                self._begin(lane, post)
        self._forget({post.key for post in posts})
        return max(0.01, min(waits))

    def _by_lane(self, posts: Sequence[Post]) -> dict[str, list[Post]]:
        lanes: defaultdict[str, list[Post]] = defaultdict(list)
        for post in posts:
            lanes[self._platform.lane(post.address)].append(post)
        return lanes

    async def _look(self, tx: Transaction) -> tuple[list[Post], float]:
        name, slots, now = self._platform.name, self._manner.unordered_slots, await tx.now()
        if slots is not None:
            # As many may be under way already.
            return await tx.posts.soonest(name, now, now + _LONGEST_WAIT_SECONDS, 2 * slots), now
        posts = await tx.posts.at_work(name)
        at_work = {post.key for post in posts}
        growing = await tx.posts.keyed([key for key in self._growing if key not in at_work])
        return sorted([*posts, *growing], key=lambda post: (post.position, post.part)), now

    def _next(self, posts: Sequence[Post], now: float) -> tuple[Post | None, float]:
        """Return the post of a lane that something can be done for now, or how long that will take."""
        wait = _LONGEST_WAIT_SECONDS
        for post in posts:
            due_in = self._due_in(post, now)
            if due_in <= 0:
                return post, 0.0
            wait = min(wait, due_in)
            if post.is_open:
                # Whatever comes later in this lane waits behind it.
                break
        return None, wait

    def _due_in(self, post: Post, now: float) -> float:
        if post.state is PostState.SENT and self._wanted(post) == self._shown.get(post.key, post.shown):
            return _LONGEST_WAIT_SECONDS
        if post.state is PostState.WAITING:
            # Tried in the future: the clock was set back, and would keep the chat waiting for as long.
            return 0.0 if now < (post.attempted_at or now) else post.not_before - now
        wait = self._paces.wait(post.key)
        if post.state is PostState.UNKNOWN:
            settled = (post.attempted_at or now) + self._manner.settle_seconds
            return max(wait, min(settled - now, self._manner.settle_seconds))
        return wait

    def _begin(self, lane: str, post: Post) -> None:
        serving = asyncio.create_task(self.job.row(post.id, partial(self._serve, post)), name=f"{post.id} is served")
        self._lanes[lane] = serving

        def end(_: asyncio.Task[bool]) -> None:
            del self._lanes[lane]
            self.job.wake()

        serving.add_done_callback(end)

    async def _serve(self, post: Post) -> None:
        match post.state:
            case PostState.WAITING:
                await self._send(post)
            case PostState.SENDING:
                # No request of this process: the one that had begun it is gone.
                await self._change(post, PostState.UNKNOWN)
            case PostState.UNKNOWN:
                await self._look_up(post)
            case _:
                await self._edit(post)

    async def _send(self, post: Post) -> None:
        text = self._wanted(post)
        highest = await self._platform.highest_id(post.address)
        begun = await self._store.write(partial(self._mark_sending, post, highest))
        if begun is None:
            return
        try:
            async with asyncio.timeout(self._send_seconds(begun)):
                message_id = await self._platform.send(begun, message_of(begun, text, self._manner.form))
        except NotTaken as refusal:
            await self._take_back(begun, refusal)
        except Refused as refusal:
            logger.warning("%s took no post to %s: %s", self._platform.name, begun.address.chat_id, refusal)
            await self._change(begun, PostState.REFUSED, error=str(refusal))
        except (Unanswered, TimeoutError) as error:
            await self._change(begun, PostState.UNKNOWN, error=str(error) or "There was no answer in time.")
        else:
            self._paces.note_done(begun.key, self._manner.edit_seconds)
            self._shown[begun.key] = text
            await self._store.write(partial(self._mark_sent, begun, message_id, text))

    def _send_seconds(self, post: Post) -> float:
        """A file may take longer, on a slow line."""
        seconds = self._manner.send_timeout
        return seconds * _FILE_TIMES if post.kind is PostKind.FILE else seconds

    async def _mark_sending(self, post: Post, highest: int, tx: Transaction) -> Post | None:
        """Commit before the request is written: a process that dies with it leaves word. None when it is not ours."""
        if not await tx.platform_doors.is_held_by(self._platform.name, self._node):
            return None
        values: dict[str, Any] = {"tries": post.tries + 1, "attempted_at": await tx.now(), "error": ""}
        values["highest_id"] = highest or post.highest_id
        if not await tx.posts.change(post.id, PostState.SENDING, [PostState.WAITING], **values):
            return None
        return replace(post, state=PostState.SENDING, **values)

    async def _mark_sent(self, post: Post, message_id: str, shown: str, tx: Transaction) -> None:
        values = {"message_id": message_id, "shown": shown, "sent_at": await tx.now()}
        await tx.posts.change(post.id, PostState.SENT, [PostState.SENDING], **values)

    async def _take_back(self, post: Post, refusal: NotTaken) -> None:
        """The platform has not taken it: it is sent later, or at once in a form that the platform takes."""
        if refusal.cure is Cure.SHORTER:
            await self._store.write(partial(halve, post, self._manner.form))
            return
        changes = cured(post, refusal.cure)
        seconds = refusal.seconds or (0.0 if changes else pause_after(post.tries))

        async def body(tx: Transaction) -> None:
            at = await tx.now() + seconds
            values = {"not_before": at, "error": str(refusal), **changes}
            await tx.posts.change(post.id, PostState.WAITING, [PostState.SENDING], **values)

        await self._store.write(body)

    async def _look_up(self, post: Post) -> None:
        try:
            async with asyncio.timeout(self._manner.send_timeout):
                found = await self._platform.look_up(post, message_of(post, post.wanted, self._manner.form))
        except (NotTaken, Unanswered, TimeoutError) as error:
            self._note_failure(post, error)
            return
        if found.whereabouts is Whereabouts.FOUND:
            # Which words it shows is not known: an edit makes it those that are wanted.
            values = {"message_id": found.message_id, "shown": "", "sent_at": post.attempted_at, "error": ""}
            await self._change(post, PostState.SENT, **values)
        else:
            is_marked = post.is_marked or found.whereabouts is Whereabouts.UNKNOWABLE
            await self._change(post, PostState.WAITING, is_marked=is_marked)
        self._paces.note_done(post.key)

    async def _edit(self, post: Post) -> None:
        text = self._wanted(post)
        try:
            async with asyncio.timeout(self._manner.send_timeout):
                await self._platform.edit(post, message_of(post, text, self._manner.form))
        except NotTaken as refusal:
            if refusal.cure is Cure.SHORTER and post.key not in self._growing:
                await self._store.write(partial(halve, post, self._manner.form))
            elif changes := cured(post, refusal.cure):
                await self._change(post, PostState.SENT, **changes)
            else:
                self._note_failure(post, refusal, refusal.seconds)
            return
        except (Unanswered, TimeoutError) as error:
            self._note_failure(post, error)
            return
        except Refused as refusal:
            await self._change(post, PostState.REFUSED, error=str(refusal))
            return
        self._paces.note_done(post.key, self._manner.edit_seconds)
        self._shown[post.key] = text
        if text == post.wanted:
            await self._change(post, PostState.SENT, shown=text)

    async def _change(self, post: Post, state: PostState, **values: Any) -> None:
        await self._store.write(lambda tx: tx.posts.change(post.id, state, [post.state], **values))

    def _note_failure(self, post: Post, error: Exception, seconds: float = 0.0) -> None:
        logger.info("%s: %s has to wait: %s", self._platform.name, post.id, str(error) or "no answer in time")
        self._paces.note_failure(post.key, seconds)

    def _wanted(self, post: Post) -> str:
        return self._growing.get(post.key, post.wanted)

    def _forget(self, at_work: set[str]) -> None:
        """Keep in mind only posts that have something left to do."""
        kept = at_work | self._growing.keys()
        self._paces.keep(kept)
        self._shown = {key: text for key, text in self._shown.items() if key in kept}
