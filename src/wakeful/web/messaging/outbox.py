"""Routes that list posts and webhooks, send refused ones again, and drop those that are not wanted."""

from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.errors import PostNotFound, PostNotOpen
from wakeful.model.messaging.post import Post, PostKind, PostState
from wakeful.model.tasks.task_data import time_text
from wakeful.store.base import Transaction
from wakeful.web.fields import Id, MaybeId, clamped, read_query
from wakeful.web.ports import MessagingDesk
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.declared import Incoming, Outgoing, words
from wakeful.wire.reading import read

_DROPPABLE = (PostState.WAITING, PostState.REFUSED)


class OutboxQuery(Incoming):
    session_id: Annotated[MaybeId, words("Only posts of this session.")] = ""
    state: Annotated[
        Literal["", "waiting", "sending", "unknown", "sent", "refused", "dropped"], words("Only posts in this state.")
    ] = ""
    platform: Annotated[MaybeId, words("Only posts to this platform; `webhook`: only webhooks.")] = ""
    limit: Annotated[int, clamped(1, 1000), words("1 to 1000; 200 by default.")] = 200


class ShownPost(Outgoing):
    id: str
    platform: str
    chat_id: str
    thread_id: str
    chat_name: Annotated[str, words("As its platform names the chat; or empty.")]
    session_id: str | None
    reply_to: Annotated[str, words("The id of the message that it replies to; or empty.")]
    turn_id: str | None
    kind: PostKind
    state: PostState
    tries: Annotated[int, Meta(ge=0)]
    message_id: Annotated[str, words("The platform's id of the message; empty until it is known.")]
    text: Annotated[str, words("What it is to show, as Markdown; of a webhook, its body.")]
    marked: Annotated[bool, words("Whether it says that it may have come twice.")]
    error: str
    not_before: Annotated[str | None, words("When it is tried again at the earliest, if it waits for that.")]
    created_at: str
    sent_at: str | None


class PostList(Outgoing):
    posts: Annotated[list[ShownPost], words("The newest first.")]


class _PostPath(Incoming):
    post_id: Id


class OutboxRoutes:
    def __init__(self, web: Web, desk: MessagingDesk) -> None:
        self._web = web
        self._desk = desk

    def routes(self) -> list[Route]:
        return [
            Route("/api/outbox", self.page, methods=["GET"]),
            Route("/api/outbox/{post_id}/retry", self.retry, methods=["POST"]),
            Route("/api/outbox/{post_id}/drop", self.drop, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        self._web.require_operator(request)
        asked = read_query(request, OutboxQuery)

        async def body(tx: Transaction) -> list[Post]:
            return await tx.posts.page(
                session_id=asked.session_id, state=asked.state, platform=asked.platform, limit=asked.limit
            )

        posts = await self._web.store.read(body)
        return JsonAnswer(PostList(posts=[_shown(post) for post in posts]))

    async def retry(self, request: Request) -> Response:
        async def body(tx: Transaction) -> Post:
            post = await _require(tx, request)
            # A post that its platform shows was refused as an edit. Sent again, it would be there twice.
            state = PostState.SENT if post.message_id else PostState.WAITING
            if not await tx.posts.change(post.id, state, [PostState.REFUSED], error="", not_before=0.0):
                raise PostNotOpen
            return post

        self._web.require_operator(request)
        return self._changed(await self._web.store.write(body))

    async def drop(self, request: Request) -> Response:
        async def body(tx: Transaction) -> Post:
            post = await _require(tx, request)
            if not await tx.posts.change(post.id, PostState.DROPPED, _DROPPABLE):
                raise PostNotOpen
            return post

        self._web.require_operator(request)
        return self._changed(await self._web.store.write(body))

    def _changed(self, post: Post) -> Response:
        # Also after a drop: later posts of the chat have waited for it.
        self._desk.wake(post.address.platform)
        return JsonAnswer(Ok())


async def _require(tx: Transaction, request: Request) -> Post:
    post_id = read(_PostPath, request.path_params).post_id
    post = await tx.posts.get(post_id)
    if post is None:
        raise PostNotFound(f"There is no post {post_id}.")
    return post


def _shown(post: Post) -> ShownPost:
    return ShownPost(
        id=post.id,
        platform=post.address.platform,
        chat_id=post.address.chat_id,
        thread_id=post.address.thread_id,
        chat_name=post.address.sender.chat_name,
        session_id=post.session_id,
        reply_to=post.address.sender.message_id,
        turn_id=post.turn_id,
        kind=post.kind,
        state=post.state,
        tries=post.tries,
        message_id=post.message_id,
        text=post.wanted,
        marked=post.is_marked,
        error=post.error,
        not_before=time_text(post.not_before) if post.state is PostState.WAITING and post.not_before else None,
        created_at=time_text(post.created_at),
        sent_at=None if post.sent_at is None else time_text(post.sent_at),
    )
