"""What a message changes on its way in: its chat, its session, the posts about it, and who is told of them."""

import errno
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.messaging.kit import a_message
from tests.store.nouns import a_row, have_row, have_session
from tests.unit.gateway.messaging.submitting import SubmittingEngine
from tests.unit.model.files.test_file_type import PNG
from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.errors import SessionNotFound, StoreFull
from wakeful.gateway.messaging.inbound.commands import Commands
from wakeful.gateway.messaging.inbound.ingress import ChatIngress
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.inbound.sessions import NewSessions
from wakeful.gateway.messaging.platform import IncomingMessage, OfferedFile, Press
from wakeful.gateway.messaging.settings import DoorSettings, Groups, MessagingSettings, Strangers
from wakeful.model.approvals.mode import Mode
from wakeful.model.inbox import IfBusy, RowKind
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.post import Post
from wakeful.model.session import Address, Session
from wakeful.model.turn import Door
from wakeful.store.base import Store, Transaction

DOOR = DoorSettings(allow=frozenset({"9"}), busy=IfBusy.STEER)


@dataclass
class Chatting:
    store: Store
    engine: SubmittingEngine
    ingress: ChatIngress
    wakes: list[str] = field(default_factory=list)
    said: list[tuple[Address, str]] = field(default_factory=list)

    async def posts(self) -> list[Post]:
        return await self.store.read(lambda tx: tx.posts.page(limit=100))

    async def chat(self, key: str) -> Chat | None:
        return await self.store.read(lambda tx: tx.chats.get(key))


def chatting(store: Store, workspace: Path, platform: str = "telegram", **changes: Any) -> Chatting:
    engine: Any = SubmittingEngine(store)
    wakes: list[str] = []
    said: list[tuple[Address, str]] = []

    async def say(address: Address, text: str) -> None:
        said.append((address, text))

    settings = MessagingSettings({platform: replace(DOOR, **changes)}, attachment_bytes=100)
    ingress = ChatIngress(
        engine,
        store,
        Door(platform, async_delivery=True),
        settings,
        People(store, settings.doors),
        Commands(engine, store, lambda name: None, "demo:led", Mode.ASK),
        NewSessions("operator", "demo:led", workspace),
        AttachmentDesk(store, workspace / ".home", 1000),
        lambda: wakes.append("woken"),
        say,
    )
    return Chatting(store, engine, ingress, wakes, said)


def a_file(name: str, data: bytes, size: int | None = None) -> OfferedFile:
    async def read() -> AsyncIterator[bytes]:
        yield data

    return OfferedFile(name, size, read)


async def test_a_message_opens_a_session_for_its_chat_and_wakes_the_postman(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)

    await chat.ingress.take(a_message("Hello", "5", thread_id="t"))

    (submission,) = chat.engine.submissions
    session = submission.session
    assert session is not None
    assert (session.owner, session.model, session.workspace) == ("operator", "demo:led", str(tmp_path))
    assert (submission.text, submission.dedupe_key) == ("Hello", "telegram:1:5")
    assert (submission.if_busy, submission.model) == (IfBusy.STEER, "demo:led")
    assert submission.address.sender.chat_key == session.chat_key == "telegram:private:1:t"
    known = await chat.chat("telegram:private:1:t")
    assert known is not None
    assert (known.session_id, known.chat_id, known.thread_id) == (session.id, "1", "t")
    assert (known.last_message_id, known.last_at > 0) == ("5", True)
    assert chat.wakes == ["woken"]


async def test_a_second_message_goes_to_the_session_of_the_first_and_its_model(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    await chat.ingress.take(a_message("Hello", "5"))
    session_id = chat.engine.submissions[0].session_id
    await store.write(lambda tx: tx.sessions.change(session_id, model="demo:other"), lock=[session_id])

    await chat.ingress.take(a_message("More", "6"))

    second = chat.engine.submissions[1]
    assert (second.session_id, second.session, second.model) == (session_id, None, "demo:other")
    known = await chat.chat("telegram:private:1")
    assert known is not None
    assert known.last_message_id == "6"


async def test_a_message_that_comes_twice_is_taken_once_and_wakes_nobody(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    for _ in range(2):
        await chat.ingress.take(a_message("Hello", "5"))

    assert (len(chat.engine.submissions), chat.wakes) == (1, ["woken"])


async def test_a_message_that_is_taken_by_another_meanwhile_is_not_taken_again(store: Store, tmp_path: Path) -> None:
    chat, other = chatting(store, tmp_path), chatting(store, tmp_path)
    message = a_message("Hello", "5", attachments=[a_file("big.txt", b"", size=101)])
    chat.engine.meets = [lambda: other.ingress.take(message)]

    await chat.ingress.take(message)

    assert (len(chat.engine.submissions), len(other.engine.submissions)) == (0, 1)
    known = await chat.chat("telegram:private:1")
    assert known is not None
    assert known.session_id == other.engine.submissions[0].session_id
    assert len(await chat.posts()) == 1, "the remark about the file came once"


async def test_a_message_follows_its_chat_to_the_session_it_has_by_then(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    await chat.ingress.take(a_message("Hello", "5"))
    chat.engine.meets = [lambda: chat.ingress.take(a_message("/new", "6"))]

    await chat.ingress.take(a_message("More", "7"))

    known = await chat.chat("telegram:private:1")
    assert known is not None
    first, second = chat.engine.submissions
    assert known.session_id == second.session_id != first.session_id


async def test_a_message_to_a_session_that_is_deleted_meanwhile_begins_another(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    await chat.ingress.take(a_message("Hello", "5"))
    gone = chat.engine.submissions[0].session_id

    async def delete() -> None:
        await store.write(lambda tx: tx.sessions.delete(gone, 5e9), lock=[gone])
        raise SessionNotFound

    chat.engine.meets = [delete]
    await chat.ingress.take(a_message("More", "6"))

    assert chat.engine.submissions[1].session is not None
    assert chat.engine.submissions[1].session_id != gone


async def test_a_full_queue_is_said_once_until_it_moves(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.inbound.ingress._MOST_QUEUED", 2)
    chat = chatting(store, tmp_path)
    await chat.ingress.take(a_message("Hello", "5"))
    session_id = chat.engine.submissions[0].session_id
    await have_row(store, a_row("n1", session_id, kind=RowKind.NOTICE))
    await have_row(store, a_row("m1", session_id))
    await chat.ingress.take(a_message("fits", "6"))
    await have_row(store, a_row("m2", session_id))

    for message_id in "7787":
        await chat.ingress.take(a_message("does not fit", message_id))

    assert [one.text for one in chat.engine.submissions] == ["Hello", "fits"]
    (post,) = await chat.posts()
    assert post.wanted == "I cannot take messages just now: 2 messages wait here already."
    assert (post.session_id, post.address.chat_id) == (session_id, "1")
    await have_row(store, a_row("m3", session_id))
    await chat.ingress.take(a_message("does not fit", "9"))
    assert len(await chat.posts()) == 2, "another newest message waits: it is full once more"


async def test_a_stranger_opens_nothing_and_gets_a_code_at_once(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)

    await chat.ingress.take(a_message("Hello", "5", user_id="8"))

    assert (chat.engine.submissions, chat.wakes) == ([], ["woken"])
    assert "wakeful pair" in (await chat.posts())[0].wanted


async def test_a_silent_door_says_nothing_to_a_stranger(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path, strangers=Strangers.SILENT)
    await chat.ingress.take(a_message("Hello", "5", user_id="8"))
    await chat.ingress.take(a_message("Hello", "6", user_id="8", kind=ChatKind.GROUP, is_for_bot=True))

    assert (chat.engine.submissions, await chat.posts()) == ([], [])


@pytest.mark.parametrize(
    ("platform", "groups", "kind", "thread_id", "is_for_bot", "heard"),
    [
        ("telegram", Groups.OFF, ChatKind.PRIVATE, "", False, True),
        ("telegram", Groups.OFF, ChatKind.PRIVATE, "", True, True),
        ("telegram", Groups.OFF, ChatKind.GROUP, "", True, False),
        ("telegram", Groups.OFF, ChatKind.GROUP, "", False, False),
        ("telegram", Groups.MENTION, ChatKind.GROUP, "", True, True),
        ("telegram", Groups.MENTION, ChatKind.GROUP, "", False, False),
        ("telegram", Groups.MENTION, ChatKind.GROUP, "known", False, False),
        ("telegram", Groups.ALL, ChatKind.GROUP, "", False, True),
        ("discord", Groups.MENTION, ChatKind.GROUP, "known", False, True),
        ("discord", Groups.MENTION, ChatKind.GROUP, "new", False, False),
        ("slack", Groups.MENTION, ChatKind.GROUP, "known", False, True),
        ("slack", Groups.MENTION, ChatKind.GROUP, "", False, False),
        ("slack", Groups.OFF, ChatKind.GROUP, "known", False, False),
    ],
)
async def test_which_messages_are_for_the_bot(
    store: Store,
    tmp_path: Path,
    platform: str,
    groups: Groups,
    kind: ChatKind,
    thread_id: str,
    is_for_bot: bool,
    heard: bool,
) -> None:
    async def know(tx: Transaction) -> None:
        for rest in ("", ":known"):
            await tx.chats.put(Chat(f"{platform}:group:1{rest}", platform, ChatKind.GROUP, "1", "", "s1"))

    await store.write(know)
    chat = chatting(store, tmp_path, platform, groups=groups)

    await chat.ingress.take(
        a_message("Hello", "5", kind=kind, thread_id=thread_id, is_for_bot=is_for_bot, platform=platform)
    )

    assert (len(chat.engine.submissions), len(chat.wakes)) == (heard, heard)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (a_message(" words ", "5"), "words"),
        (a_message("words", "5", quoted=" a\nb "), "> a\n> b\nwords"),
        (a_message("words", "5", quoted="q" * 301), f"> {'q' * 300}\nwords"),
        (a_message("words", "5", kind=ChatKind.GROUP, is_for_bot=True), "[Ada] words"),
        (a_message(" ", "5", kind=ChatKind.GROUP, is_for_bot=True, quoted="a"), "> a"),
    ],
)
async def test_the_agent_reads_who_speaks_and_what_is_answered(
    store: Store, tmp_path: Path, message: IncomingMessage, text: str
) -> None:
    chat = chatting(store, tmp_path)
    await chat.ingress.take(message)

    assert [one.text for one in chat.engine.submissions] == [text]


async def test_a_message_without_words_is_taken_and_opens_no_turn(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    message = a_message("", "5", attachments=[a_file("a.bin", b"", size=101), a_file("b.bin", b"x" * 101)])
    for _ in range(2):
        await chat.ingress.take(message)

    assert chat.engine.submissions == []
    assert await store.read(lambda tx: tx.chats.was_taken(message.address))
    assert len(await chat.posts()) == 2, "a remark for each file"
    assert len({post.key for post in await chat.posts()}) == 2


async def test_pictures_are_kept_for_the_model_under_names_of_their_own(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    files = [a_file("a.png", PNG), a_file("b.txt", b"words"), a_file("c.png", PNG)]

    await chat.ingress.take(a_message("See", "5", attachments=files))

    (submission,) = chat.engine.submissions
    sizes = (("a.png", len(PNG)), ("b.txt", 5), ("c.png", len(PNG)))
    lines = [f"[File: inbox/5-{name}, {size} bytes]" for name, size in sizes]
    assert submission.text.split("\n") == ["See", *lines]
    assert [one.name for one in submission.attachments] == ["5-a.png", "5-c.png"]
    assert len({one.id for one in submission.attachments}) == 2
    kept = await store.read(lambda tx: tx.attachments.find([one.id for one in submission.attachments]))
    assert [(one.owner, one.session_id) for one in kept] == [("operator", submission.session_id)] * 2


async def test_a_command_is_answered_once_and_moves_the_chat_on(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    for message_id in "566":
        await chat.ingress.take(a_message("/new" if message_id == "6" else "Hello", message_id))

    known = await chat.chat("telegram:private:1")
    assert known is not None
    assert (known.session_id != chat.engine.submissions[0].session_id, known.last_message_id) == (True, "6")
    session: Session | None = await store.read(lambda tx: tx.sessions.get(known.session_id))
    assert session is not None
    assert (session.owner, session.created_at > 0, session.updated_at > 0) == ("operator", True, True)
    assert [(post.wanted, post.session_id) for post in await chat.posts()] == [("New conversation.", session.id)]


async def test_a_command_in_a_chat_without_a_session_makes_none(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    await chat.ingress.take(a_message("/status", "5"))

    assert await chat.chat("telegram:private:1") is None
    assert [(post.session_id, post.wanted[:8]) for post in await chat.posts()] == [(None, "Session:")]


@pytest.mark.parametrize(
    ("error", "told"),
    [(StoreFull(), 1), (OSError(errno.ENOSPC, "full"), 1), (OSError(errno.EDQUOT, "quota"), 1), (OSError(5, "bad"), 0)],
)
async def test_a_full_disk_is_told_once_until_a_message_fits_again(
    store: Store, tmp_path: Path, error: Exception, told: int
) -> None:
    chat = chatting(store, tmp_path)

    async def fail() -> None:
        raise error

    chat.engine.meets = [fail, fail]
    for _ in range(2):
        with pytest.raises(type(error)):
            await chat.ingress.take(a_message("Hello", "5"))
    assert (len(chat.said), chat.wakes) == (told, [])
    assert all(address == Address("telegram", "1") for address, _ in chat.said), "it is no reply"

    await chat.ingress.take(a_message("Hello", "5"))
    chat.engine.meets = [fail]
    with pytest.raises(type(error)):
        await chat.ingress.take(a_message("More", "6"))
    assert len(chat.said) == 2 * told


async def test_a_press_wakes_the_postman(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    message = a_message("", "5")

    answer = await chat.ingress.press(Press(message.address, message.kind, "post_1:once", "5"))

    assert (answer.text, chat.wakes) == ("Already answered.", ["woken"])


async def test_a_chat_that_moves_keeps_its_session(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    await chat.ingress.take(a_message("Hello", "5", kind=ChatKind.GROUP, is_for_bot=True, chat_id="-1"))

    await chat.ingress.move_chat("-1", "-2")

    known = await chat.chat("telegram:group:-2")
    assert known is not None
    assert known.session_id == chat.engine.submissions[0].session_id
    assert await chat.chat("telegram:group:-1") is None


async def test_a_new_session_is_known_by_its_chat_and_not_by_its_first_message(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)

    await chat.ingress.take(a_message("Hello", "5", thread_id="t", kind=ChatKind.GROUP, is_for_bot=True))

    session = chat.engine.submissions[0].session
    known = await chat.chat("telegram:group:1:t")
    assert session is not None
    assert known is not None
    assert (session.address, session.chat_name) == (Address("telegram", "1", "t"), "Kitchen")
    assert (known.kind, known.name) == (ChatKind.GROUP, "Kitchen")


async def test_a_session_with_a_folder_of_its_own_gets_files_there_and_one_without_a_model_the_usual_one(
    store: Store, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    await have_session(store, "s1", workspace=str(own), model="")
    await store.write(lambda tx: tx.chats.put(Chat("telegram:private:1", "telegram", ChatKind.PRIVATE, "1", "", "s1")))
    chat = chatting(store, tmp_path)

    await chat.ingress.take(a_message("See", "5", attachments=[a_file("a.txt", b"words")]))

    (submission,) = chat.engine.submissions
    assert (submission.session_id, submission.model) == ("s1", "demo:led")
    assert (own / "inbox" / "5-a.txt").read_bytes() == b"words"


async def test_pictures_of_different_messages_are_different_and_those_of_one_are_kept_once(
    store: Store, tmp_path: Path
) -> None:
    chat, other = chatting(store, tmp_path), chatting(store, tmp_path)
    message = a_message("See", "5", attachments=[a_file("a.png", PNG)])

    async def fail() -> None:
        raise OSError(5, "bad")

    chat.engine.meets = [fail]
    with pytest.raises(OSError, match="bad"):
        await chat.ingress.take(message)
    await chat.ingress.take(message)
    await other.ingress.take(replace(message, address=a_message("", "6").address))
    await other.ingress.take(replace(message, address=a_message("", "5", chat_id="2").address))

    ids = [
        one.id for submission in (*chat.engine.submissions, *other.engine.submissions) for one in submission.attachments
    ]
    assert len(set(ids)) == 3
    rows = await store.read(lambda tx: tx.attachments.find(ids))
    assert len(rows) == 3


async def test_a_quote_is_cut_before_its_lines_are_marked(store: Store, tmp_path: Path) -> None:
    chat = chatting(store, tmp_path)
    await chat.ingress.take(a_message("words", "5", quoted="a\n" * 200))

    assert chat.engine.submissions[0].text == "> " + "a\n> " * 150 + "\nwords"


async def test_a_message_to_a_full_queue_whose_chat_is_gone_by_then_is_left_to_come_again(
    store: Store, tmp_path: Path
) -> None:
    chat, message = chatting(store, tmp_path), a_message("Hello", "5")

    await store.write(lambda tx: chat.ingress._refuse(message, tx))

    assert await chat.posts() == []
    assert not await store.read(lambda tx: tx.chats.was_taken(message.address))
