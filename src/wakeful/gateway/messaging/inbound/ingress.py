"""What people write on a platform, on its way into the inbox of their chat's session.

A message is taken in by one transaction: that it was taken, which session its chat has, and its inbox row. Only then
does the adapter confirm it to its platform; handed in again, it changes nothing.
"""

import errno
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.errors import SessionNotFound, StoreFull, WakefulError
from wakeful.gateway.messaging.inbound.attachments import save_all
from wakeful.gateway.messaging.inbound.commands import Command, Commands, parse_command
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.inbound.presses import Presses
from wakeful.gateway.messaging.inbound.remarks import post_about, put_remarks, refusal_text
from wakeful.gateway.messaging.inbound.sessions import ChatSessions, NewSessions
from wakeful.gateway.messaging.inbound.storable import storable
from wakeful.gateway.messaging.platform import IncomingMessage, Press, PressAnswer
from wakeful.gateway.messaging.settings import DoorSettings, Groups, MessagingSettings
from wakeful.model.files.attachment import Attachment
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.messaging.post import PostKind
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door
from wakeful.store.base import Store, Transaction

_QUOTE_LENGTH = 300
# In a thread of these platforms that has a session, no mention is needed.
_THREADED = frozenset({"discord", "slack"})
# How many messages may wait for their turns in one session.
_MOST_QUEUED = 100
# What the system says when a file cannot be written for lack of room.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


class _QueueFull(WakefulError):
    """More messages than a person will wait for are waiting in a session."""


class _ChatMoved(WakefulError):
    """The chat has another session than a moment ago."""


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
        attachments: AttachmentDesk,
        on_post: Callable[[], None],
        say: Callable[[Address, str], Awaitable[None]],
    ) -> None:
        """`on_post` is called after a commit that has added or changed a post. `say` shows a sentence in a chat at
        once, where nothing can be written down.
        """
        self._engine = engine
        self._store = store
        self._door = door
        self._settings = settings
        self._people = people
        self._commands = commands
        self._new = new
        self._attachments = attachments
        self._sessions = ChatSessions(store, self._mine.sessions, new)
        self._presses = Presses(engine, store, people)
        self._on_post = on_post
        self._say = say
        # Chats that got the sentence about a full disk, and have taken in no message since.
        self._told: set[str] = set()

    async def take(self, message: IncomingMessage) -> None:
        message = storable(message)
        if not await self._people.may_talk(message.address):
            await self._people.answer_stranger(message)
            self._on_post()
            return
        if not await self._is_for_us(message) or await self._was_taken(message):
            return
        try:
            await self._take_in(message)
        except (StoreFull, OSError) as error:
            if isinstance(error, StoreFull) or error.errno in _NO_ROOM:
                await self._tell_of_full_disk(message.address)
            raise
        self._told.discard(message.address.chat_id)
        self._on_post()

    async def _take_in(self, message: IncomingMessage) -> None:
        command = parse_command(message.text)
        if command is not None:
            await self._obey(message, command)
            return
        try:
            await self._submit(message)
        except _QueueFull:
            await self._store.write(partial(self._refuse, message))

    async def press(self, press: Press) -> PressAnswer:
        answer = await self._presses.answer(press)
        self._on_post()
        return answer

    async def move_chat(self, old_chat_id: str, new_chat_id: str) -> None:
        await self._store.write(lambda tx: tx.chats.move(self._door.name, old_chat_id, new_chat_id))

    async def _is_for_us(self, message: IncomingMessage) -> bool:
        if message.kind is ChatKind.PRIVATE or message.is_for_bot:
            return message.kind is ChatKind.PRIVATE or self._mine.groups is not Groups.OFF
        if self._mine.groups is not Groups.MENTION:
            return self._mine.groups is Groups.ALL
        is_thread = self._door.name in _THREADED and bool(message.address.thread_id)
        return is_thread and await self._store.read(lambda tx: tx.chats.get(self._sessions.key(message))) is not None

    async def _tell_of_full_disk(self, address: Address) -> None:
        """Tell a chat once. Its message is not confirmed, and so comes again until there is room for it."""
        if address.chat_id not in self._told:
            self._told.add(address.chat_id)
            await self._say(address.without_anchor(), refusal_text("my disk is full."))

    async def _was_taken(self, message: IncomingMessage) -> bool:
        return await self._store.read(lambda tx: tx.chats.was_taken(message.address))

    async def _obey(self, message: IncomingMessage, command: Command) -> None:
        session = await self._sessions.current(message)
        if command.word == "new":
            session = self._sessions.make(message)
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
                await self._sessions.point(tx, message, session.id)
            session_id = None if session is None else session.id
            await tx.posts.put(await post_about(tx, message, PostKind.COMMAND, answer, session_id, "command"))

        await self._store.write(body)

    async def _submit(self, message: IncomingMessage) -> None:
        session = await self._sessions.current(message)
        workspace = self._new.workspace if session is None else Path(session.workspace)
        message_id = message.address.sender.message_id
        saved = await save_all(message.attachments, message_id, workspace, self._settings.attachment_bytes)
        text = "\n".join([*_words(message), *saved.lines])
        if not text:
            await self._store.write(partial(self._take_remarks, message, session, saved.remarks))
            return
        pictures = [await self._shown(message, number, path) for number, path in enumerate(saved.pictures)]
        while True:
            try:
                submission = replace(self._submission(message, session, text), attachments=tuple(pictures))
                before = partial(self._enter, message, submission, session, saved.remarks)
                await self._engine.submit(submission, before=before)
            except (_ChatMoved, SessionNotFound):
                session = await self._sessions.current(message)
            else:
                await self._attachments.bind([picture.id for picture in pictures], submission.session_id)
                return

    async def _shown(self, message: IncomingMessage, number: int, path: Path) -> Attachment:
        """Keep a picture for the model. The same message, taken in a second time, finds it."""
        address = message.address
        place = f"{address.platform}:{address.chat_id}:{address.sender.message_id}:{number}"
        name = f"att_{sha256(place.encode()).hexdigest()[:32]}"
        return await self._attachments.offer(name, path, self._new.owner)

    def _submission(self, message: IncomingMessage, known: Session | None, text: str) -> Submission:
        session = known or self._sessions.make(message)
        address = message.address
        return Submission(
            session_id=session.id,
            text=text,
            door=self._door,
            address=replace(address, sender=replace(address.sender, chat_key=self._sessions.key(message))),
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
        chat = await tx.chats.get(self._sessions.key(message))
        if chat is not None and known is not None and chat.session_id != known.id:
            raise _ChatMoved
        if known is not None and len(await _queued(tx, known.id)) >= _MOST_QUEUED:
            raise _QueueFull
        await self._sessions.point(tx, message, submission.session_id)
        await put_remarks(tx, message, known, remarks)
        return None

    async def _refuse(self, message: IncomingMessage, tx: Transaction) -> None:
        """Refuse the message for good, and say once that the queue is full. Left at the platform instead, it would
        hold up other chats, and be answered long after its sender has gone.
        """
        chat = await tx.chats.get(self._sessions.key(message))
        if chat is None or not await _take(message, tx):
            return
        waiting = await _queued(tx, chat.session_id)
        text = refusal_text(f"{len(waiting)} messages wait here already.")
        post = await post_about(tx, message, PostKind.REMARK, text, chat.session_id, "full")
        newest = max((row.id for row in waiting), default=0)
        await tx.posts.put(replace(post, key=f"full:{chat.session_id}:{newest}"))

    async def _take_remarks(
        self, message: IncomingMessage, session: Session | None, remarks: Sequence[str], tx: Transaction
    ) -> None:
        if await _take(message, tx):
            await put_remarks(tx, message, session, remarks)

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


async def _queued(tx: Transaction, session_id: str) -> list[InboxRow]:
    return [row for row in await tx.inbox.pending(session_id) if row.kind is RowKind.MESSAGE]


async def _take(message: IncomingMessage, tx: Transaction) -> bool:
    return await tx.chats.take(message.address, await tx.now())
