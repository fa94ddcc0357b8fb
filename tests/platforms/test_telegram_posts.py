"""Telegram, sending: each message once, and a refusal, a limit and a lost answer are told apart."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.platforms.telegram_kit import a_post, open_platform, platform_at
from tests.platforms.telegram_server import TelegramServer, Trouble
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import (
    Button,
    Cure,
    Message,
    NotTaken,
    Refused,
    Unanswered,
)
from wakeful.gateway.platforms.telegram.adapter import TelegramPlatform
from wakeful.model.session import Address

GROUP = -42
FORUM = -1_000_000_000_777
HELLO = Message("<b>Hello</b> &amp; welcome")


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        server.chat(7)
        server.chat(8)
        server.chat(GROUP)
        server.chat(FORUM, topics={5, 6})
        yield server


@pytest.fixture
async def platform(server: TelegramServer) -> AsyncIterator[TelegramPlatform]:
    async with open_platform(server) as platform:
        yield platform


async def test_a_message_shows_its_markup_and_no_preview(server: TelegramServer, platform: TelegramPlatform) -> None:
    message_id = await platform.send(a_post(7), HELLO)

    assert server.chat(7).messages[int(message_id)]["text"] == "Hello & welcome"
    assert server.called("sendMessage")[0]["link_preview_options"] == {"is_disabled": True}


async def test_a_plain_message_is_shown_as_it_is(server: TelegramServer, platform: TelegramPlatform) -> None:
    await platform.send(a_post(7), Message("1 < 2 & <b>", is_plain=True))

    assert server.chat(7).said == ["1 < 2 & <b>"]


async def test_a_message_goes_to_its_topic_and_replies(server: TelegramServer, platform: TelegramPlatform) -> None:
    asked = await server.write(FORUM, "a question")

    sent = await platform.send(a_post(FORUM, thread=5), Message("an answer", reply_to=str(asked)))

    message = server.chat(FORUM).messages[int(sent)]
    assert (message["topic"], message["reply_to"]) == (5, asked)


async def test_a_reply_to_a_message_that_is_gone_is_sent_without(
    server: TelegramServer, platform: TelegramPlatform
) -> None:
    sent = await platform.send(a_post(7), Message("an answer", reply_to="12"))

    assert server.chat(7).messages[int(sent)]["reply_to"] is None


async def test_buttons_are_there_until_an_edit_without(server: TelegramServer, platform: TelegramPlatform) -> None:
    buttons = [Button("Once", "post_1:once"), Button("Deny", "post_1:deny")]
    sent = await platform.send(a_post(7), Message("May I?", buttons=buttons))
    message = server.chat(7).messages[int(sent)]
    [row] = message["reply_markup"]["inline_keyboard"]
    assert row[0] == {"text": "Once", "callback_data": "post_1:once"}

    await platform.edit(a_post(7, message_id=sent), Message("Approved."))

    assert (message["text"], message["reply_markup"]) == ("Approved.", None)


async def test_an_edit_that_changes_nothing_is_done(server: TelegramServer, platform: TelegramPlatform) -> None:
    sent = await platform.send(a_post(7), HELLO)

    await platform.edit(a_post(7, message_id=sent), HELLO)

    assert len(server.called("editMessageText")) == 1


async def test_a_file_is_sent_with_its_words_which_can_be_edited(
    server: TelegramServer, platform: TelegramPlatform, tmp_path: Path
) -> None:
    file = tmp_path / "report.txt"
    file.write_bytes(b"all is well")
    asked = await server.write(FORUM, "a question")

    sent = await platform.send(a_post(FORUM, thread=5), Message("<i>My</i> report", file=file, reply_to=str(asked)))
    message = server.chat(FORUM).messages[int(sent)]
    assert message["document"] == ("report.txt", b"all is well")
    assert (message["text"], message["topic"], message["reply_to"]) == ("My report", 5, asked)

    await platform.edit(a_post(FORUM, message_id=sent), Message("Its end", file=file))
    assert message["text"] == "Its end"


async def test_a_file_that_is_gone_is_refused_without_its_path(platform: TelegramPlatform, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"report\.txt") as refusal:
        await platform.send(a_post(7), Message("", file=tmp_path / "report.txt"))

    assert str(tmp_path) not in str(refusal.value)


async def test_a_file_that_has_become_a_link_is_not_sent(
    server: TelegramServer, platform: TelegramPlatform, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("secret")
    (tmp_path / "report.txt").symlink_to("key")

    with pytest.raises(Refused, match=r"report\.txt"):
        await platform.send(a_post(7), Message("", file=tmp_path / "report.txt"))

    assert server.called("sendDocument") == []


@pytest.mark.parametrize(
    ("message", "cure"),
    [
        (Message("1 < 2"), Cure.PLAIN),
        (Message("<b>never closed"), Cure.PLAIN),
        (Message("<b></b>"), Cure.PLAIN),
        (Message("🎉" * 2049), Cure.SHORTER),
        (Message("🎉" * 2049, is_plain=True), Cure.SHORTER),
    ],
)
async def test_a_form_that_telegram_refuses_has_a_cure(
    platform: TelegramPlatform, message: Message, cure: Cure
) -> None:
    with pytest.raises(NotTaken) as refusal:
        await platform.send(a_post(7), message)

    assert refusal.value.cure is cure


async def test_a_message_of_the_full_length_is_sent(server: TelegramServer, platform: TelegramPlatform) -> None:
    await platform.send(a_post(7), Message("<b>" + "🎉" * 2048 + "</b>"))

    assert server.chat(7).said == ["🎉" * 2048]


async def test_a_caption_that_is_too_long_has_a_cure(platform: TelegramPlatform, tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    file.write_bytes(b"all is well")

    with pytest.raises(NotTaken) as refusal:
        await platform.send(a_post(7), Message("x" * 1025, file=file))

    assert refusal.value.cure is Cure.SHORTER


@pytest.mark.parametrize("chat", ["9" * 30, "\N{FULLWIDTH DIGIT SEVEN}", "-"])
async def test_an_id_that_no_chat_has_is_refused(server: TelegramServer, platform: TelegramPlatform, chat: str) -> None:
    with pytest.raises(Refused, match="chat not found"):
        await platform.send(replace(a_post(7), address=Address("telegram", chat)), HELLO)


async def test_what_no_other_form_cures_is_refused(server: TelegramServer, platform: TelegramPlatform) -> None:
    server.chat(GROUP).refusal = "bot was kicked from the group chat"

    with pytest.raises(Refused, match="kicked"):
        await platform.send(a_post(GROUP), HELLO)
    with pytest.raises(Refused, match="chat not found"):
        await platform.send(a_post(4711), HELLO)
    with pytest.raises(Refused, match="text is empty"):
        await platform.send(a_post(7), Message(" ", is_plain=True))
    with pytest.raises(Refused, match="thread not found"):
        await platform.send(a_post(FORUM, thread=99), HELLO)
    with pytest.raises(Refused, match="not found"):
        await platform.edit(a_post(7, message_id="4711"), HELLO)


@pytest.mark.parametrize(
    ("trouble", "error", "arrived"),
    [
        (Trouble.BROKEN, Unanswered, 0),
        (Trouble.UNREADABLE, Unanswered, 0),
        (Trouble.CUT_BEFORE, Unanswered, 0),
        (Trouble.CUT_AFTER, Unanswered, 1),
        (Trouble.LIMITED, NotTaken, 0),
    ],
)
async def test_a_send_that_fails_is_never_repeated(
    server: TelegramServer, platform: TelegramPlatform, trouble: Trouble, error: type[Exception], arrived: int
) -> None:
    await platform.send(a_post(8), Message("so that a connection is open"))
    server.troubles["sendMessage"] = [trouble]

    with pytest.raises(error):
        await platform.send(a_post(7), HELLO)

    assert len(server.called("sendMessage")) == 2
    assert len(server.chat(7).said) == arrived


async def test_a_limit_says_how_long_to_wait(server: TelegramServer, platform: TelegramPlatform) -> None:
    server.troubles["editMessageText"] = [Trouble.LIMITED]
    server.retry_after = 17
    sent = await platform.send(a_post(7), HELLO)

    with pytest.raises(NotTaken) as limit:
        await platform.edit(a_post(7, message_id=sent), Message("more"))

    assert limit.value.seconds == 17


async def test_no_answer_in_time_is_unanswered(server: TelegramServer) -> None:
    server.troubles["sendMessage"] = [Trouble.SLOW]

    async with open_platform(server, timeout=0.1) as platform:
        with pytest.raises(Unanswered, match="in time"):
            await platform.send(a_post(7), HELLO)


async def test_a_server_that_is_not_there_has_taken_nothing() -> None:
    platform = platform_at("http://127.0.0.1:1")

    with pytest.raises(NotTaken, match="cannot be reached"):
        await platform.send(a_post(7), HELLO)
    await platform.close()


async def test_posts_wait_while_the_token_is_refused(server: TelegramServer) -> None:
    async with open_platform(server, token="1:wrong") as platform:
        with pytest.raises(NotTaken):
            await platform.send(a_post(7), HELLO)


async def test_a_group_that_has_become_a_supergroup_is_written_to_under_its_new_id(
    server: TelegramServer, platform: TelegramPlatform
) -> None:
    server.chat(GROUP).migrated_to = FORUM
    old = await server.write(FORUM, "another message")

    post = a_post(GROUP)
    with pytest.raises(NotTaken):
        await platform.send(post, HELLO)
    sent = await platform.send(post, Message("Hello", reply_to=str(old)))
    message = server.chat(FORUM).messages[int(sent)]
    assert (message["text"], message["reply_to"]) == ("Hello", None)

    await platform.edit(replace(post, message_id=sent), Message("Hello there"))
    assert message["text"] == "Hello there"
    with pytest.raises(Refused):
        # It was sent to the old group, where ids mean other messages.
        await platform.edit(a_post(GROUP, message_id=sent), Message("other words"))


async def test_typing_is_shown_and_says_when_it_is_not(server: TelegramServer, platform: TelegramPlatform) -> None:
    await platform.show_typing(Address("telegram", str(FORUM), "5"))
    await platform.show_typing(Address("telegram", str(FORUM), "5"), is_over=True)
    with pytest.raises(WakefulError):
        await platform.show_typing(Address("telegram", "4711"))

    shown = {"chat_id": FORUM, "message_thread_id": 5, "action": "typing"}
    assert server.called("sendChatAction") == [shown, {"chat_id": 4711, "action": "typing"}]


async def test_an_address_may_end_with_a_slash(server: TelegramServer) -> None:
    platform = platform_at(f"{server.url}/")

    await platform.send(a_post(7), HELLO)
    await platform.close()

    assert server.chat(7).said == ["Hello & welcome"]
