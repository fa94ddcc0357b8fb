"""What people write on a platform, on its way into the inbox of their chat's session.

A message is taken in by one transaction: that it was taken, which session its chat has, and its inbox row. Only then
does the adapter confirm it to its platform; handed in again, it changes nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.errors import AlreadyAnswered, ApprovalNotFound, NoFolderToGrant, OnceOnly, SessionNotFound, WakefulError
from wakeful.gateway.messaging.inbound.attachments import save_all
from wakeful.gateway.messaging.inbound.commands import Command, Commands, parse_command
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.platform import IncomingMessage, Press, PressAnswer
from wakeful.gateway.messaging.settings import DoorSettings, Groups, MessagingSettings
from wakeful.model.approvals.approval import Choice
from wakeful.model.ids import new_id
from wakeful.model.messaging.chat import Chat, ChatKind, chat_key
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door
from wakeful.store.base import Store, Transaction

_QUOTE_LENGTH = 300
# Where a thread is a conversation of its own, what is written in it needs no mention.
_THREADED = frozenset({"discord", "slack"})


class _ChatMoved(WakefulError):
    """The chat has another session than a moment ago."""


@dataclass(frozen=True, slots=True)
class NewSessions:
    """What the sessions of chats begin with."""

    owner: str
    model: str
    workspace: Path


class ChatIngress:
    def __init__(
        self,
        engine: Engine,
        store: Store,
        door: Door,
        settings: MessagingSettings,
        people: People,
        commands: Commands,
        new: NewSessions,
        on_post: Callable[[], None],
    ) -> None:
        """`on_post` is called after a commit that has added or changed a post."""
        self._engine = engine
        self._store = store
        self._door = door
        self._settings = settings
        self._people = people
        self._commands = commands
        self._new = new
        self._on_post = on_post

    async def take(self, message: IncomingMessage) -> None:
        if not await self._people.may_talk(message.address):
            await self._people.answer_stranger(message)
            self._on_post()
            return
        if not await self._is_for_us(message) or await self._was_taken(message):
            return
        command = parse_command(message.text)
        if command is not None:
            await self._obey(message, command)
        else:
            await self._submit(message)
        self._on_post()

    async def press(self, press: Press) -> PressAnswer:
        answer = await self._press(press)
        self._on_post()
        return answer

    async def _press(self, press: Press) -> PressAnswer:
        post_id, _, given = press.value.rpartition(":")
        post = await self._store.read(lambda tx: tx.posts.get(post_id))
        if not await self._people.may_talk(press.address):
            return PressAnswer("Only people who may talk to me can answer this.")
        if post is None or post.session_id is None or not post.details.get("choices"):
            return PressAnswer("Already answered.")
        choice = Choice(given)
        name = press.address.sender.user_name
        words = f"Denied by {name}." if choice is Choice.DENY else f"Approved ({choice}) by {name}."
        # Before the answer: the fact that follows it finds no buttons, and leaves these words.
        await self._store.write(partial(_show_answer, post, words))
        try:
            await self._engine.approvals.answer(post.session_id, post.details["call_id"], choice)
        except (AlreadyAnswered, ApprovalNotFound):
            await self._store.write(partial(_show_answer, post, "Answered elsewhere."))
            return PressAnswer("Already answered.")
        except (OnceOnly, NoFolderToGrant) as error:
            await self._store.write(lambda tx: tx.posts.put(post))
            return PressAnswer(str(error))
        return PressAnswer(words)

    async def move_chat(self, old_chat_id: str, new_chat_id: str) -> None:
        await self._store.write(lambda tx: tx.chats.move(self._door.name, old_chat_id, new_chat_id))

    async def _is_for_us(self, message: IncomingMessage) -> bool:
        if message.kind is ChatKind.PRIVATE or message.is_for_bot:
            return message.kind is ChatKind.PRIVATE or self._mine.groups is not Groups.OFF
        if self._mine.groups is not Groups.MENTION:
            return self._mine.groups is Groups.ALL
        is_thread = self._door.name in _THREADED and bool(message.address.thread_id)
        return is_thread and await self._store.read(lambda tx: tx.chats.get(self._key(message))) is not None

    async def _was_taken(self, message: IncomingMessage) -> bool:
        return await self._store.read(lambda tx: tx.chats.was_taken(message.address))

    async def _obey(self, message: IncomingMessage, command: Command) -> None:
        session = await self._session_of(message)
        if command.word == "new":
            session = self._new_session(message)
            answer = "New conversation."
        else:
            answer = await self._commands.answer(command, session)

        async def body(tx: Transaction) -> None:
            if not await _take(message, tx):
                return
            if command.word == "new" and session is not None:
                now = await tx.now()
                await tx.sessions.create_if_absent(replace(session, created_at=now, updated_at=now))
            if session is not None:
                await tx.chats.put(await self._chat(tx, message, session.id))
            await tx.posts.put(await _post(tx, message, PostKind.COMMAND, answer, session, "command"))

        await self._store.write(body)

    async def _submit(self, message: IncomingMessage) -> None:
        session = await self._session_of(message)
        workspace = self._new.workspace if session is None else Path(session.workspace)
        message_id = message.address.sender.message_id
        saved = await save_all(message.attachments, message_id, workspace, self._settings.attachment_bytes)
        text = "\n".join([*_words(message), *saved.lines])
        if not text:
            await self._store.write(partial(self._take_remarks, message, session, saved.remarks))
            return
        while True:
            try:
                submission = self._submission(message, session, text)
                before = partial(self._enter, message, submission, session, saved.remarks)
                await self._engine.submit(submission, before=before)
            except (_ChatMoved, SessionNotFound):
                session = await self._session_of(message)
            else:
                return

    def _submission(self, message: IncomingMessage, known: Session | None, text: str) -> Submission:
        session = known or self._new_session(message)
        address = message.address
        return Submission(
            session_id=session.id,
            text=text,
            door=self._door,
            address=replace(address, sender=replace(address.sender, chat_key=self._key(message))),
            dedupe_key=f"{address.platform}:{address.chat_id}:{address.sender.message_id}",
            model=session.model or self._new.model,
            if_busy=self._mine.busy,
            session=session if known is None else None,
        )

    async def _enter(
        self,
        message: IncomingMessage,
        submission: Submission,
        known: Session | None,
        remarks: Sequence[str],
        tx: Transaction,
    ) -> Receipt | None:
        """Write down that the message was taken and where its chat goes on; a receipt where it was taken before."""
        if not await _take(message, tx):
            return Receipt(submission.session_id, "", is_queued=False)
        chat = await tx.chats.get(self._key(message))
        if chat is not None and known is not None and chat.session_id != known.id:
            raise _ChatMoved
        await tx.chats.put(await self._chat(tx, message, submission.session_id))
        await _put_remarks(tx, message, known, remarks)
        return None

    async def _take_remarks(
        self, message: IncomingMessage, session: Session | None, remarks: Sequence[str], tx: Transaction
    ) -> None:
        if await _take(message, tx):
            await _put_remarks(tx, message, session, remarks)

    async def _session_of(self, message: IncomingMessage) -> Session | None:
        """Return the session that the chat has now, unless it was deleted."""

        async def body(tx: Transaction) -> Session | None:
            chat = await tx.chats.get(self._key(message))
            session = None if chat is None else await tx.sessions.get(chat.session_id)
            return None if session is None or session.is_deleted else session

        return await self._store.read(body)

    def _new_session(self, message: IncomingMessage) -> Session:
        address = message.address
        return Session(
            new_id("ses"),
            self._new.owner,
            Address(address.platform, address.chat_id, address.thread_id),
            self._new.model,
            str(self._new.workspace),
            chat_key=self._key(message),
            chat_name=address.sender.chat_name,
        )

    async def _chat(self, tx: Transaction, message: IncomingMessage, session_id: str) -> Chat:
        address, sender = message.address, message.address.sender
        return Chat(
            self._key(message),
            address.platform,
            message.kind,
            address.chat_id,
            address.thread_id,
            session_id,
            sender.chat_name,
            sender.message_id,
            await tx.now(),
        )

    def _key(self, message: IncomingMessage) -> str:
        address = message.address
        return chat_key(
            address.platform,
            message.kind,
            address.chat_id,
            address.thread_id,
            address.sender.user_id,
            self._mine.sessions,
        )

    @property
    def _mine(self) -> DoorSettings:
        return self._settings.doors[self._door.name]


def _words(message: IncomingMessage) -> list[str]:
    """Return what the agent reads: whom the message answers, who speaks in a group, and the words."""
    words = message.text.strip()
    if message.kind is ChatKind.GROUP and words:
        words = f"[{message.address.sender.user_name}] {words}"
    quoted = message.quoted.strip()[:_QUOTE_LENGTH].replace("\n", "\n> ")
    return [line for line in (f"> {quoted}" if quoted else "", words) if line]


async def _take(message: IncomingMessage, tx: Transaction) -> bool:
    return await tx.chats.take(message.address, await tx.now())


async def _put_remarks(
    tx: Transaction, message: IncomingMessage, session: Session | None, remarks: Sequence[str]
) -> None:
    for number, text in enumerate(remarks):
        await tx.posts.put(await _post(tx, message, PostKind.REMARK, text, session, f"remark{number}"))


async def _post(
    tx: Transaction, message: IncomingMessage, kind: PostKind, text: str, session: Session | None, name: str
) -> Post:
    address = message.address
    anchored = (
        address if message.kind is ChatKind.GROUP else replace(address, sender=replace(address.sender, message_id=""))
    )
    return Post(
        new_post_id(),
        f"{name}:{address.platform}:{address.chat_id}:{address.sender.message_id}",
        anchored,
        kind,
        text,
        None if session is None else session.id,
        position=await tx.posts.next_position(),
        created_at=await tx.now(),
    )


async def _show_answer(post: Post, words: str, tx: Transaction) -> None:
    await tx.posts.put(replace(post, wanted=words, details=post.details | {"choices": []}))
