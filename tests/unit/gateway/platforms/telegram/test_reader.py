"""Updates of Telegram, as what the ingress takes in."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec import convert

from wakeful.gateway.messaging.platform import IncomingMessage
from wakeful.gateway.platforms.telegram.reader import UpdateReader
from wakeful.gateway.platforms.telegram.wire import TgMessage, TgPress, TgUser
from wakeful.model.messaging.chat import ChatKind

ANN = {"id": 9, "first_name": "Ann", "last_name": "Lee"}
BOT = {"id": 5, "is_bot": True, "username": "wakeful_bot"}


async def download(file_id: str) -> AsyncIterator[bytes]:
    yield file_id.encode()


READER = UpdateReader(convert(BOT, TgUser), download)


def read(**values: Any) -> IncomingMessage | None:
    usual = {"message_id": 3, "chat": {"id": -7, "type": "group", "title": "Kitchen"}, "from": ANN, "text": "hello"}
    given = {name: value for name, value in (usual | values).items() if value is not None}
    return READER.message(convert(given, TgMessage))


def taken(**values: Any) -> IncomingMessage:
    message = read(**values)
    assert message is not None
    return message


@pytest.mark.parametrize(
    "values",
    [
        {"chat": {"id": -7, "type": "channel"}},
        {"from": None},
        {"from": BOT},
        {"sender_chat": {"id": -8}},
        {"text": ""},
        {"text": "/stop@other_bot", "entities": [{"type": "bot_command", "offset": 0, "length": 15}]},
    ],
)
def test_what_no_person_has_said_to_us_is_no_message(values: dict[str, Any]) -> None:
    assert read(**values) is None


@pytest.mark.parametrize("type_", ["group", "supergroup"])
def test_a_message_says_who_wrote_it_and_where(type_: str) -> None:
    message = taken(chat={"id": -7, "type": type_, "title": "Kitchen"})
    sender = message.address.sender

    assert (message.kind, message.address.chat_id, message.address.thread_id) == (ChatKind.GROUP, "-7", "")
    assert (sender.message_id, sender.user_id, sender.user_name, sender.chat_name) == ("3", "9", "Ann Lee", "Kitchen")
    assert (message.is_for_bot, message.quoted) == (False, "")


@pytest.mark.parametrize(
    ("user", "name"),
    [({"first_name": "Ann"}, "Ann"), ({"username": "ann"}, "ann"), ({}, "9")],
)
def test_a_private_chat_is_called_like_the_person(user: dict[str, Any], name: str) -> None:
    message = taken(chat={"id": 9, "type": "private"}, **{"from": {"id": 9} | user})

    assert (message.kind, message.address.sender.chat_name) == (ChatKind.PRIVATE, name)


@pytest.mark.parametrize(("is_topic", "thread_id"), [(True, "4"), (False, "")])
def test_only_a_topic_is_a_thread(is_topic: bool, thread_id: str) -> None:
    assert taken(message_thread_id=4, is_topic_message=is_topic).address.thread_id == thread_id


def answered(sender: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {"message_id": 2, "chat": {"id": -7, "type": "group"}, "from": sender, "text": "before"} | values


@pytest.mark.parametrize(
    ("values", "is_for_bot", "quoted"),
    [
        ({"reply_to_message": answered(BOT)}, True, "before"),
        ({"reply_to_message": answered(ANN)}, False, "before"),
        ({"reply_to_message": answered(ANN), "quote": {"text": "fore"}}, False, "fore"),
        ({"reply_to_message": answered(ANN), "quote": {"text": ""}}, False, "before"),
        ({"reply_to_message": answered(BOT, forum_topic_created={})}, False, ""),
    ],
)
def test_a_reply_quotes_and_one_to_the_bot_is_for_it(values: dict[str, Any], is_for_bot: bool, quoted: str) -> None:
    message = taken(**values)

    assert (message.is_for_bot, message.quoted) == (is_for_bot, quoted)


@pytest.mark.parametrize(
    ("text", "entity", "read_as", "is_for_bot"),
    [
        ("@wakeful_bot, hello", ("mention", 0, 12), "hello", True),
        ("so @WAKEFUL_bot hello", ("mention", 3, 12), "so hello", True),
        ("hello @wakeful_bot", ("mention", 6, 12), "hello", True),
        ("x@wakeful_bot: hello", ("mention", 1, 12), "x: hello", True),
        ("@another_bot hello", ("mention", 0, 12), "@another_bot hello", False),
        ("/stop@wakeful_bot now", ("bot_command", 0, 17), "/stop now", True),
        ("/stop now", ("bot_command", 0, 5), "/stop now", True),
        ("well /stop", ("bot_command", 5, 5), "well /stop", False),
        ("hello", ("bold", 0, 5), "hello", False),
    ],
)
def test_a_mention_is_cut_out_and_a_command_is_for_the_bot(
    text: str, entity: tuple[str, int, int], read_as: str, is_for_bot: bool
) -> None:
    type_, offset, length = entity
    message = taken(text=text, entities=[{"type": type_, "offset": offset, "length": length}])

    assert (message.text, message.is_for_bot) == (read_as, is_for_bot)


@pytest.mark.parametrize(("user", "is_for_bot"), [({"id": 5}, True), ({"id": 6}, False), (None, False)])
def test_a_mention_by_a_link_counts(user: dict[str, Any] | None, is_for_bot: bool) -> None:
    entity = {"type": "text_mention", "offset": 0, "length": 5} | ({} if user is None else {"user": user})

    assert taken(entities=[entity]).is_for_bot is is_for_bot


def test_each_file_has_a_name_and_a_picture_its_largest_size() -> None:
    small, wide = {"file_id": "s", "width": 9, "height": 9}, {"file_id": "w", "width": 50, "height": 2}
    large = {"file_id": "l", "width": 11, "height": 10, "file_size": 7}
    message = taken(
        text="",
        photo=[small, large, wide],
        document={"file_id": "d", "file_name": "plan.pdf"},
        audio={"file_id": "a"},
        voice={"file_id": "v"},
        video={"file_id": "m"},
        video_note={"file_id": "n"},
    )

    names = ["photo.jpg", "plan.pdf", "audio.mp3", "voice.ogg", "video.mp4", "video_note.mp4"]
    assert [file.name for file in message.attachments] == names
    assert message.attachments[0].size == 7


def test_an_animation_is_one_file_though_it_comes_as_two() -> None:
    message = taken(text="", animation={"file_id": "a"}, document={"file_id": "a", "file_name": "cat.mp4"})

    assert [file.name for file in message.attachments] == ["animation.mp4"]


def pressed(**values: Any) -> Any:
    message = {"message_id": 3, "chat": {"id": -7, "type": "group", "title": "Kitchen"}}
    return READER.press(convert({"id": "1", "from": ANN, "data": "x:once", "message": message} | values, TgPress))


def test_a_press_says_who_pressed_what_where() -> None:
    press = pressed()

    assert (press.value, press.message_id, press.kind) == ("x:once", "3", ChatKind.GROUP)
    assert (press.address.chat_id, press.address.sender.user_id) == ("-7", "9")


@pytest.mark.parametrize(
    "values", [{"message": None}, {"from": BOT}, {"message": {"message_id": 3, "chat": {"id": -7, "type": "channel"}}}]
)
def test_what_no_person_has_pressed_in_a_chat_is_no_press(values: dict[str, Any]) -> None:
    assert pressed(**values) is None
