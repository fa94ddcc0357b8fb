"""Messages of Discord, as what the ingress takes in."""

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from wakeful.gateway.messaging.platform import IncomingMessage
from wakeful.gateway.platforms.discord.channels import DiscordChannel
from wakeful.gateway.platforms.discord.reader import DiscordReader
from wakeful.model.messaging.chat import ChatKind

BOT = 50


class Discord:
    """The client, and the channels that it knows."""

    bot = SimpleNamespace(id=BOT)
    own_roles = (7, 8)

    async def find(self, id: int, *, is_private: bool) -> DiscordChannel:
        return DiscordChannel(ChatKind.PRIVATE if is_private else ChatKind.GROUP, str(id))

    async def download(self, url: str) -> Any:
        yield url.encode()


def a_message(content: str = "hello", **values: Any) -> Any:
    usual = {
        "id": 3,
        "author": SimpleNamespace(bot=False, id=9, display_name="Ann"),
        "webhook_id": None,
        "type": discord.MessageType.default,
        "channel": SimpleNamespace(id=5),
        "content": content,
        "attachments": [],
        "message_snapshots": [],
        "reference": None,
    }
    return SimpleNamespace(**usual | values)


def answered(author: int, content: str = "before") -> Any:
    message = object.__new__(discord.Message)
    message.author = SimpleNamespace(id=author)  # type: ignore[assignment]
    message.content = content
    return SimpleNamespace(resolved=message)


async def read(message: Any) -> IncomingMessage | None:
    client: Any = Discord()
    return await DiscordReader(client, client, {"status"}).read(message)


async def taken(message: Any) -> IncomingMessage:
    found = await read(message)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "values",
    [
        {"author": SimpleNamespace(bot=True, id=9, display_name="Bot")},
        {"webhook_id": 4},
        {"type": discord.MessageType.pins_add},
    ],
)
async def test_what_no_person_has_written_is_no_message(values: dict[str, Any]) -> None:
    assert await read(a_message(**values)) is None


@pytest.mark.parametrize("type_", [discord.MessageType.default, discord.MessageType.reply])
async def test_a_message_says_who_wrote_it_and_where(type_: discord.MessageType) -> None:
    message = await taken(a_message(type=type_))

    assert (message.kind, message.address.chat_id, message.address.sender.message_id) == (ChatKind.GROUP, "5", "3")
    assert (message.address.sender.user_id, message.is_for_bot, message.quoted) == ("9", False, "")


@pytest.mark.parametrize("kind", [discord.DMChannel, discord.GroupChannel])
async def test_a_direct_message_is_private(kind: Any) -> None:
    channel = object.__new__(kind)
    channel.id = 5

    assert (await taken(a_message(channel=channel))).kind is ChatKind.PRIVATE


@pytest.mark.parametrize(
    ("content", "text", "is_for_bot"),
    [
        (f"<@{BOT}> hello <@{BOT}>", "hello", True),
        (f"<@!{BOT}> hello", "hello", True),
        ("<@&7> hello <@&8> you", "hello you", True),
        ("<@&9> hello", "<@&9> hello", False),
        ("<@51> hello", "<@51> hello", False),
        ("/status", "/status", True),
        ("!Status now", "!Status now", True),
        ("/statusx", "/statusx", False),
        ("/status.", "/status.", False),
        ("/other", "/other", False),
        ("a /status", "a /status", False),
    ],
)
async def test_a_mention_is_cut_out_and_a_known_command_is_for_the_bot(
    content: str, text: str, is_for_bot: bool
) -> None:
    message = await taken(a_message(content))

    assert (message.text, message.is_for_bot) == (text, is_for_bot)


@pytest.mark.parametrize(
    ("reference", "quoted", "is_for_bot"),
    [
        (answered(BOT), "before", True),
        (answered(9), "before", False),
        (SimpleNamespace(resolved=None), "", False),
        (SimpleNamespace(resolved=SimpleNamespace(content="deleted", author=SimpleNamespace(id=BOT))), "", False),
    ],
)
async def test_a_reply_quotes_and_one_to_the_bot_is_for_it(reference: Any, quoted: str, is_for_bot: bool) -> None:
    message = await taken(a_message(reference=reference))

    assert (message.quoted, message.is_for_bot) == (quoted, is_for_bot)


async def test_a_forwarded_message_brings_its_words_and_files() -> None:
    own, other = (SimpleNamespace(filename=name, size=1, url=f"https://{name}") for name in ("own", "other"))
    snapshot = SimpleNamespace(content=f"<@{BOT}> forwarded", attachments=[other])
    message = await taken(a_message("", attachments=[own], message_snapshots=[snapshot]))

    assert (message.text, message.is_for_bot) == ("forwarded", False)
    assert [(file.name, file.size) for file in message.attachments] == [("own", 1), ("other", 1)]
    assert [[piece async for piece in file.read()] for file in message.attachments] == [
        [b"https://own"],
        [b"https://other"],
    ]
