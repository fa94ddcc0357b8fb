"""What people do on Slack, as what the ingress takes in."""

from typing import Any

import pytest
from msgspec import convert

from tests.unit.gateway.platforms.slack.client import ScriptedClient
from wakeful.gateway.messaging.platform import Unanswered
from wakeful.gateway.platforms.slack.names import SlackNames
from wakeful.gateway.platforms.slack.reader import SlackBot, SlackReader
from wakeful.gateway.platforms.slack.wire import SlackCommand, SlackFile, SlackMessage, SlackPress, SlackUser
from wakeful.model.messaging.chat import ChatKind


@pytest.fixture
def client() -> ScriptedClient:
    return ScriptedClient(
        {
            "users.info": lambda params: {"user": {"name": f"name of {params['user']}"}},
            "conversations.info": lambda params: {"channel": {"name": "general"}},
        }
    )


@pytest.fixture
def reader(client: Any) -> SlackReader:
    return SlackReader(SlackBot("UBOT", "wakeful"), client, SlackNames(client))


def a_message(**values: Any) -> SlackMessage:
    return SlackMessage(**{"ts": "5.0", "channel": "C1", "user": "U1", "text": "hello"} | values)


@pytest.mark.parametrize(
    ("values", "is_turn"),
    [
        ({}, True),
        ({"subtype": "file_share"}, True),
        ({"subtype": "thread_broadcast"}, True),
        ({"subtype": "channel_join"}, False),
        ({"user": ""}, False),
        ({"user": "UBOT"}, False),
        ({"user": "USLACKBOT"}, False),
        ({"bot_id": "B1"}, False),
        ({"ts": ""}, False),
        ({"channel": ""}, False),
    ],
)
def test_only_what_a_person_has_written_is_a_turn(reader: SlackReader, values: dict[str, Any], is_turn: bool) -> None:
    assert reader.is_turn(a_message(**values)) is is_turn


@pytest.mark.parametrize(
    ("values", "kind", "thread_id", "chat_name"),
    [
        ({}, ChatKind.GROUP, "5.0", "general"),
        ({"thread_ts": "1.0"}, ChatKind.GROUP, "1.0", "general"),
        ({"channel": "D1"}, ChatKind.PRIVATE, "", "name of U1"),
        ({"channel": "X1", "channel_type": "im"}, ChatKind.PRIVATE, "", "name of U1"),
        ({"channel": "D1", "thread_ts": "1.0"}, ChatKind.PRIVATE, "1.0", "name of U1"),
    ],
)
async def test_a_message_says_where_it_is_to_be_answered(
    reader: SlackReader, values: dict[str, Any], kind: ChatKind, thread_id: str, chat_name: str
) -> None:
    incoming = await reader.message(a_message(**values))

    assert incoming is not None
    sender = incoming.address.sender
    assert (incoming.kind, incoming.address.thread_id, sender.chat_name) == (kind, thread_id, chat_name)
    assert (sender.message_id, sender.user_id, sender.user_name) == ("5.0", "U1", "name of U1")


@pytest.mark.parametrize(
    ("values", "is_for_bot"),
    [
        ({"text": "<@UBOT> hello"}, True),
        ({"text": "<@UBOT|wakeful>, hello"}, True),
        ({"parent_user_id": "UBOT"}, True),
        ({"text": "/status"}, True),
        ({"text": "<@U2> hello"}, False),
        ({"parent_user_id": "U2"}, False),
        ({"text": "/etc"}, False),
    ],
)
async def test_a_mention_an_answer_and_a_command_are_for_the_bot(
    reader: SlackReader, values: dict[str, Any], is_for_bot: bool
) -> None:
    incoming = await reader.message(a_message(**values))

    assert incoming is not None
    assert incoming.is_for_bot is is_for_bot


async def test_a_message_without_words_and_files_is_none(reader: SlackReader) -> None:
    file = SlackFile(url_private="https://files.slack.com/a")

    assert await reader.message(a_message(text="<@UBOT>")) is None
    assert await reader.message(a_message(text="", files=[SlackFile(mode="tombstone", url_private="x")])) is None
    alone = await reader.message(a_message(text="", files=[file]))
    assert alone is not None
    assert [one.name for one in alone.attachments] == ["file"]


@pytest.mark.parametrize("mode", ["external", "tombstone", "hidden_by_limit"])
async def test_files_that_slack_does_not_have_are_not_offered(reader: SlackReader, mode: str) -> None:
    files = [
        SlackFile(name="a.txt", size=3, url_private="https://files.slack.com/a"),
        SlackFile(name="b.txt", mode=mode, url_private="https://files.slack.com/b"),
        SlackFile(name="c.txt"),
    ]

    incoming = await reader.message(a_message(files=files))

    assert incoming is not None
    assert [(one.name, one.size) for one in incoming.attachments] == [("a.txt", 3)]


@pytest.mark.parametrize(
    ("addresses", "read"),
    [
        ({"url_private": "shown", "url_private_download": "bytes"}, b"bytes"),
        ({"url_private": "shown"}, b"shown"),
        ({"url_private_download": "bytes"}, b"bytes"),
    ],
    ids=["both", "shown alone", "download alone"],
)
async def test_a_file_is_read_from_where_its_bytes_are(
    reader: SlackReader, addresses: dict[str, Any], read: bytes
) -> None:
    incoming = await reader.message(a_message(files=[SlackFile(name="a.txt", **addresses)]))

    assert incoming is not None
    (offered,) = incoming.attachments
    assert [piece async for piece in offered.read()] == [read]


@pytest.mark.parametrize(("text", "words"), [("status", "/status"), (" /model x ", "/model x"), ("", "/help")])
async def test_a_slash_command_is_a_message_for_the_bot(reader: SlackReader, text: str, words: str) -> None:
    incoming = await reader.command(SlackCommand("D1", "U1", "ada", text), "7.0")

    assert (incoming.text, incoming.is_for_bot, incoming.kind) == (words, True, ChatKind.PRIVATE)
    assert incoming.address.sender.message_id == "7.0"


async def test_a_press_says_who_pressed_what_where(reader: SlackReader) -> None:
    press = await reader.press(a_press("post_1:once"))

    assert press is not None
    assert (press.value, press.message_id, press.kind) == ("post_1:once", "5.0", ChatKind.GROUP)
    assert (press.address.chat_id, press.address.thread_id) == ("C1", "1.0")
    assert press.address.sender.user_name == "name of U1"


@pytest.mark.parametrize("changes", [{"type": "view_submission"}, {"actions": []}, {"value": ""}])
async def test_what_is_no_press_of_a_button_of_ours_is_left(reader: SlackReader, changes: dict[str, Any]) -> None:
    pressed = a_press(changes.pop("value", "post_1:once"))
    for name, value in changes.items():
        setattr(pressed, name, value)

    assert await reader.press(pressed) is None


def a_press(value: str) -> SlackPress:
    shown = {"ts": "5.0", "thread_ts": "1.0"}
    raw = {
        "user": {"id": "U1"},
        "channel": {"id": "C1", "name": "general"},
        "message": shown,
        "actions": [{"value": value}],
    }
    pressed = convert(raw, SlackPress)
    assert pressed.user == SlackUser("U1")
    return pressed


@pytest.mark.parametrize("answer", [Unanswered("cut"), {"file": {"id": 5}}])
async def test_a_file_of_another_workspace_that_cannot_be_asked_for_is_taken_as_it_is(
    reader: SlackReader, client: ScriptedClient, answer: Any
) -> None:
    client.answers["files.info"] = lambda _: answer
    file = SlackFile(id="F1", name="a.txt", url_private="https://a", file_access="check_file_info")
    message = await reader.message(a_message(files=[file]))

    assert message is not None
    assert [each.name for each in message.attachments] == ["a.txt"]


async def test_a_file_of_another_workspace_is_asked_for_and_no_other(
    reader: SlackReader, client: ScriptedClient
) -> None:
    client.answers["files.info"] = lambda params: {"file": {"id": params["file"], "name": "b.txt", "url_private": "u"}}
    files = [SlackFile(id="F1", file_access="check_file_info"), SlackFile(id="F2", name="c.txt", url_private="v")]
    message = await reader.message(a_message(files=files))

    assert message is not None
    assert [each.name for each in message.attachments] == ["b.txt", "c.txt"]
    assert [params for method, params in client.calls if method == "files.info"] == [{"file": "F1"}]
