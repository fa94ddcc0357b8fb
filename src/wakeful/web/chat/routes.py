"""Routes that send, edit and withdraw messages, repeat answers, stop them, and sum conversations up."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.inbox.compacting import compaction_of, require_messages
from wakeful.engine.inbox.rewinding import Retake, edited, is_accepted, repeated, rewind
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.model.files.attachment import Attachment
from wakeful.model.ids import new_id
from wakeful.model.inbox import IfBusy
from wakeful.model.session import Session
from wakeful.store.base import Transaction
from wakeful.web.fields import Id, MessageText, ModelId, OfSession, read_body
from wakeful.web.messages.messages import MessageId
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.declared import Incoming, Outgoing, words
from wakeful.wire.errors import InvalidRequest


class AnswerWanted(Incoming):
    session_id: Id
    client_message_id: Annotated[
        Id | None, words("A message that is sent again with the same id is accepted once.")
    ] = None
    model: ModelId | None = None


# Ids that POST /api/attachments has returned.
AttachmentIds: TypeAlias = Annotated[list[Id], words("Ids of uploaded files, ten at most.")]


class SentMessage(AnswerWanted):
    message: Annotated[str, words("May be empty if there are attachments.")] = ""
    attachments: AttachmentIds | None = None
    if_busy: Annotated[IfBusy, words("`queue` by default.")] = IfBusy.QUEUE


class EditedMessage(AnswerWanted):
    message_id: Id
    message: Annotated[str, words("May be empty if there are attachments.")] = ""
    attachments: Annotated[AttachmentIds | None, words("Without it, the message keeps those that it has.")] = None


class QueuedTurn(OfSession):
    turn_id: Id


class ChatReceipt(Outgoing):
    session_id: str
    turn_id: str
    stream_id: str
    queued: bool


class CompactedSession(OfSession):
    focus: Annotated[MessageText | None, words("What the summary should keep above all.")] = None


class CompactionReceipt(Outgoing):
    turn_id: str
    stream_id: str


class Cancelled(Outgoing):
    cancelled: bool


class ChatRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [
            Route("/api/chat/start", self.start, methods=["POST"]),
            Route("/api/chat/edit", self.edit, methods=["POST"]),
            Route("/api/chat/regenerate", self.regenerate, methods=["POST"]),
            Route("/api/chat/cancel", self.cancel, methods=["POST"]),
            Route("/api/chat/withdraw", self.withdraw, methods=["POST"]),
            Route("/api/session/compact", self.compact, methods=["POST"]),
        ]

    async def start(self, request: Request) -> Response:
        given = await read_body(request, SentMessage)
        if not given.message.strip() and not given.attachments:
            raise InvalidRequest("message must be a non-empty text.")
        submission = await self._submission(request, given, given.message, given.if_busy)
        submission = replace(submission, attachments=await self._claimed(request, given) or ())
        return _receipt(await self._web.engine.submit(submission))

    async def edit(self, request: Request) -> Response:
        """Replace a message, and continue from there."""
        given = await read_body(request, EditedMessage)
        text = given.message
        message = MessageId.parse(given.message_id)
        if message is None:
            raise InvalidRequest("message_id must be the id of a message of this session.")
        if not text.strip() and not given.attachments:
            raise InvalidRequest("message must be a non-empty text.")
        submission = await self._submission(request, given, text)
        attachments = await self._claimed(request, given)

        async def find(tx: Transaction, session: Session) -> Retake:
            return await edited(tx, session, message.turn_id, message.position, text, attachments)

        return await self._again(request, submission, find)

    async def regenerate(self, request: Request) -> Response:
        """Ask for the last answer again."""
        submission = await self._submission(request, await read_body(request, AnswerWanted), "")
        return await self._again(request, submission, repeated)

    async def _again(
        self,
        request: Request,
        submission: Submission,
        find: Callable[[Transaction, Session], Awaitable[Retake]],
    ) -> Response:
        async def body(tx: Transaction) -> Retake | None:
            session = await self._web.require_session(tx, request, submission.session_id)
            is_known = await is_accepted(tx, session.id, submission.dedupe_key)
            return None if is_known else await find(tx, session)

        retake = await self._web.store.read(body)
        if retake is None:
            # A repeated request: submit returns the receipt of the first.
            return _receipt(await self._web.engine.submit(submission))
        source = retake.turn.source if not retake.text or retake.turn.is_wakeup else submission.source
        wanted = replace(submission, text=retake.text, inputs=retake.inputs, source=source)
        before = rewind(submission.session_id, retake.turn, submission.dedupe_key)
        return _receipt(await self._web.engine.submit(wanted, before=before))

    async def cancel(self, request: Request) -> Response:
        session = await self._web.find_session(request, (await read_body(request, OfSession)).session_id)
        return JsonAnswer(Cancelled(cancelled=await self._web.engine.cancel(session.id)))

    async def withdraw(self, request: Request) -> Response:
        given = await read_body(request, QueuedTurn)
        session = await self._web.find_session(request, given.session_id)
        await self._web.engine.withdraw(session.id, given.turn_id)
        return JsonAnswer(Ok())

    async def compact(self, request: Request) -> Response:
        """Sum up the conversation so far, for the model to read instead of it."""
        given = await read_body(request, CompactedSession)
        session = await self._web.find_session(request, given.session_id)
        model = session.model or self._web.model
        submission = compaction_of(session, self._web.door(request), model, (given.focus or "").strip())
        receipt = await self._web.engine.submit(submission, before=require_messages(session.id))
        return JsonAnswer(CompactionReceipt(turn_id=receipt.turn_id, stream_id=receipt.turn_id))

    async def _claimed(self, request: Request, given: SentMessage | EditedMessage) -> tuple[Attachment, ...] | None:
        """Return the attachments that the message names; None if it names none. Raises AttachmentUnusable."""
        if given.attachments is None:
            return None
        session = await self._web.find_session(request, given.session_id)
        ids = list(dict.fromkeys(given.attachments))
        return await self._web.attachments.claim(ids, session, request.state.principal)

    async def _submission(
        self, request: Request, given: AnswerWanted, text: str, if_busy: IfBusy = IfBusy.QUEUE
    ) -> Submission:
        door = self._web.door(request)
        key = given.client_message_id or new_id("msg")
        model = "" if given.model is None else self._web.checked_model(given.model.strip())
        session = await self._web.find_session(request, given.session_id)
        return Submission(
            session_id=session.id,
            text=text,
            door=door,
            # All doors of a session use its address, so that its notices are delivered together.
            address=session.address,
            dedupe_key=key,
            model=model or session.model or self._web.model,
            if_busy=if_busy,
        )


def _receipt(receipt: Receipt) -> Response:
    started = ChatReceipt(
        session_id=receipt.session_id,
        turn_id=receipt.turn_id,
        stream_id=receipt.turn_id,
        queued=receipt.is_queued,
    )
    return JsonAnswer(started)
