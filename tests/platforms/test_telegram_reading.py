"""What a message on Telegram means: who wrote it where, what it says, and whether it speaks to the bot."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.platforms.recording_ingress import RecordingIngress
from tests.platforms.telegram_kit import open_platform, receiving
from tests.platforms.telegram_server import ANN, BOT, TelegramServer
from wakeful.gateway.messaging.platform import IncomingMessage, Refused
from wakeful.gateway.platforms.telegram.polling import read_update
from wakeful.model.messaging.chat import ChatKind

GROUP = -42
FORUM = -1_000_000_000_777


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        yield server


@pytest.fixture
def ingress() -> RecordingIngress:
    return RecordingIngress()


def mention(text: str, name: str = "@wakeful_bot") -> dict[str, Any]:
    before = text[: text.index(name)]
    return {"type": "mention", "offset": len(before.encode("utf-16-le")) // 2, "length": len(name)}


def command(length: int) -> dict[str, Any]:
    return {"type": "bot_command", "offset": 0, "length": length}


async def taken(server: TelegramServer, ingress: RecordingIngress, *writes: dict[str, Any]) -> list[IncomingMessage]:
    """Return what comes in of these messages. A last one shows that nothing else will."""
    for write in writes:
        await server.write(**write)
    await server.write(1, "the last")
    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.until(lambda: not server.updates)
    assert ingress.texts[-1] == "the last"
    return ingress.messages[:-1]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("@wakeful_bot what is the time?", "what is the time?"),
        ("@Wakeful_Bot: what is the time?", "what is the time?"),
        ("🎉🎉 so @wakeful_bot what is the time?", "🎉🎉 so what is the time?"),
        ("what is the time, @wakeful_bot?", "what is the time, ?"),
        ("@wakeful_bot @wakeful_bot twice", "twice"),
        ("@wakeful_bot /stop", "/stop"),
    ],
)
async def test_a_mention_in_a_group_is_for_the_bot_and_is_cut_out(
    server: TelegramServer, ingress: RecordingIngress, text: str, read: str
) -> None:
    name = "@Wakeful_Bot" if "@Wakeful_Bot" in text else "@wakeful_bot"
    entities = [mention(text, name)]
    if text.count(name) == 2:
        entities.append({"type": "mention", "offset": 13, "length": 12})

    [message] = await taken(server, ingress, {"chat_id": GROUP, "text": text, "entities": entities})

    assert message.kind is ChatKind.GROUP
    assert message.is_for_bot
    assert message.text == read
    assert message.address.sender.chat_name == "The group"


async def test_a_mention_by_a_link_to_the_bot_counts(server: TelegramServer, ingress: RecordingIngress) -> None:
    entity = {"type": "text_mention", "offset": 3, "length": 7, "user": BOT}

    [message] = await taken(server, ingress, {"chat_id": GROUP, "text": "Hi Wakeful 🎉", "entities": [entity]})

    assert (message.is_for_bot, message.text) == (True, "Hi 🎉")


async def test_a_mention_in_the_words_below_a_picture_counts(server: TelegramServer, ingress: RecordingIngress) -> None:
    photo = [{"file_id": "p", "width": 9, "height": 9}]
    caption = "@wakeful_bot look"

    [message] = await taken(
        server,
        ingress,
        {"chat_id": GROUP, "photo": photo, "caption": caption, "caption_entities": [mention(caption)]},
    )

    assert (message.is_for_bot, message.text) == (True, "look")


@pytest.mark.parametrize(("text", "length", "read"), [("/stop", 5, "/stop"), ("/model@wakeful_bot x", 18, "/model x")])
async def test_a_command_in_a_group_is_for_the_bot(
    server: TelegramServer, ingress: RecordingIngress, text: str, length: int, read: str
) -> None:
    [message] = await taken(server, ingress, {"chat_id": GROUP, "text": text, "entities": [command(length)]})

    assert (message.is_for_bot, message.text) == (True, read)


async def test_a_command_for_another_bot_is_none_for_us(server: TelegramServer, ingress: RecordingIngress) -> None:
    text = "/stop@other_bot"

    assert await taken(server, ingress, {"chat_id": GROUP, "text": text, "entities": [command(len(text))]}) == []


async def test_other_words_in_a_group_are_not_for_the_bot(server: TelegramServer, ingress: RecordingIngress) -> None:
    text = "ask @other_bot, or write /stop"
    entities = [
        mention(text, "@other_bot"),
        {"type": "bot_command", "offset": 25, "length": 5},
        {"type": "text_mention", "offset": 0, "length": 3, "user": ANN},
    ]

    [message] = await taken(server, ingress, {"chat_id": GROUP, "text": text, "entities": entities})

    assert (message.is_for_bot, message.text) == (False, text)


async def test_a_reply_quotes_and_one_to_the_bot_is_for_it(server: TelegramServer, ingress: RecordingIngress) -> None:
    group = server.chat(GROUP).form
    own = {"message_id": 3, "chat": group, "from": BOT, "text": "The answer is 42."}
    other = {"message_id": 4, "chat": group, "from": ANN, "caption": "My picture", "photo": []}

    to_bot, to_ann, part = await taken(
        server,
        ingress,
        {"chat_id": GROUP, "text": "why?", "reply_to_message": own},
        {"chat_id": GROUP, "text": "nice", "reply_to_message": other},
        {"chat_id": GROUP, "text": "42?", "reply_to_message": own, "quote": {"text": "is 42"}},
    )

    assert (to_bot.is_for_bot, to_bot.quoted) == (True, "The answer is 42.")
    assert (to_ann.is_for_bot, to_ann.quoted) == (False, "My picture")
    assert (part.is_for_bot, part.quoted) == (True, "is 42")


async def test_a_topic_is_a_thread_and_its_beginning_is_not_replied_to(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    start = {"message_id": 5, "chat": server.chat(FORUM).form, "from": BOT, "forum_topic_created": {"name": "Ideas"}}
    in_topic = {"message_thread_id": 5, "is_topic_message": True}

    topic, answers = await taken(
        server,
        ingress,
        {"chat_id": FORUM, "text": "in a topic", "reply_to_message": start, **in_topic},
        # Where there are no topics, replies have the number as well.
        {"chat_id": GROUP, "text": "a reply", "message_thread_id": 5},
    )

    assert (topic.address.thread_id, topic.is_for_bot, topic.quoted) == ("5", False, "")
    assert answers.address.thread_id == ""


@pytest.mark.parametrize(
    "parts",
    [
        {"text": "I am a bot", "by": {"id": 5, "is_bot": True}},
        {"text": "my own words", "by": BOT},
        {"text": "in the name of the group", "sender_chat": {"id": GROUP, "type": "group"}},
        {"new_chat_members": [ANN]},
        {"forum_topic_created": {"name": "Ideas"}},
    ],
)
async def test_bots_and_service_messages_are_never_a_turn(
    server: TelegramServer, ingress: RecordingIngress, parts: dict[str, Any]
) -> None:
    assert await taken(server, ingress, {"chat_id": GROUP, **parts}) == []


async def test_edits_and_channels_are_not_asked_for_and_are_passed_over(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    message = {"message_id": 3, "chat": {"id": 7, "type": "private"}, "from": ANN, "text": "better words"}
    channel = {"message_id": 4, "chat": {"id": -1, "type": "channel"}, "from": ANN, "text": "news"}
    await server.update(edited_message=message)
    await server.update(message=channel)

    assert await taken(server, ingress) == []
    assert server.called("getUpdates")[0]["allowed_updates"] == ["message", "callback_query"]


async def test_a_group_that_becomes_a_supergroup_moves(server: TelegramServer, ingress: RecordingIngress) -> None:
    assert await taken(server, ingress, {"chat_id": GROUP, "migrate_to_chat_id": FORUM}) == []
    assert ingress.moves == [(str(GROUP), str(FORUM))]


async def test_the_new_group_tells_its_old_id_before_its_first_message(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    ingress.gates[str(GROUP)] = asyncio.Event()
    await server.write(GROUP, "stuck")
    await server.write(FORUM, migrate_from_chat_id=GROUP)
    await server.write(FORUM, "hello")

    async with open_platform(server) as platform, receiving(platform, ingress):
        await ingress.first()

    assert (ingress.moves, ingress.texts) == ([(str(GROUP), str(FORUM))], ["hello"])


def a_file(file_id: str = "f", **parts: Any) -> dict[str, Any]:
    return {"file_id": file_id, "file_size": 5, **parts}


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        ({"document": a_file(file_name="report.pdf")}, "report.pdf"),
        ({"photo": [a_file("small", width=9, height=9), a_file(width=90, height=90)]}, "photo.jpg"),
        ({"audio": a_file(file_name="song.flac")}, "song.flac"),
        ({"voice": a_file()}, "voice.ogg"),
        ({"video": a_file()}, "video.mp4"),
        ({"video_note": a_file()}, "video_note.mp4"),
        ({"animation": a_file(), "document": a_file()}, "animation.mp4"),
    ],
)
async def test_a_file_is_read_when_it_is_wanted(
    server: TelegramServer, ingress: RecordingIngress, parts: dict[str, Any], name: str
) -> None:
    server.files["f"] = b"bytes"
    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.write(7, **parts)
        message = await ingress.first()
        assert server.called("getFile") == []
        [attachment] = message.attachments
        content = b"".join([piece async for piece in attachment.read()])

    assert (attachment.name, attachment.size, content, message.text) == (name, 5, b"bytes", "")


async def test_a_file_of_a_server_in_local_mode_is_read_from_its_disk(
    server: TelegramServer, ingress: RecordingIngress, tmp_path: Path
) -> None:
    server.files |= {"here": tmp_path / "here", "gone": tmp_path / "gone"}
    (tmp_path / "here").write_bytes(b"bytes")
    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.write(7, document=a_file("here"))
        await server.write(7, document=a_file("gone"))
        await ingress.until(lambda: len(ingress.messages) == 2)
        here, gone = (message.attachments[0] for message in ingress.messages)

        assert [piece async for piece in here.read()] == [b"bytes"]
        with pytest.raises(Refused):
            [piece async for piece in gone.read()]


async def test_a_file_that_telegram_does_not_hand_out_is_refused(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.write(7, document=a_file("huge", file_name="film.mkv"))
        [attachment] = (await ingress.first()).attachments
        with pytest.raises(Refused, match="file is too big"):
            [piece async for piece in attachment.read()]


async def test_a_sticker_is_the_sign_that_it_stands_for(server: TelegramServer, ingress: RecordingIngress) -> None:
    [message] = await taken(server, ingress, {"chat_id": 7, "sticker": {"file_id": "s", "emoji": "👍"}})

    assert (message.text, list(message.attachments)) == ("👍", [])


@pytest.mark.parametrize("start", [b'{"update_id":5,"message":', b'{"update_id":5,"unknown":'])
def test_an_update_that_is_nested_too_deeply_is_no_update(start: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_update(start + b"[" * 100_000 + b"]" * 100_000 + b"}")
