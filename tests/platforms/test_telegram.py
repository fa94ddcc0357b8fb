"""Telegram's line: what people write comes in once, in order, and is confirmed only when it is committed."""

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator

import pytest

from tests.platforms.recording_ingress import RecordingIngress
from tests.platforms.telegram_kit import open_platform, platform_at, receiving
from tests.platforms.telegram_server import TOKEN, TelegramServer, Trouble
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import NotTaken, TokenRefused, Unanswered
from wakeful.gateway.platforms.telegram import receiver
from wakeful.gateway.platforms.telegram.adapter import OtherReceiver
from wakeful.model.messaging.chat import ChatKind

FORUM = -1_000_000_000_777


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        yield server


@pytest.fixture
def ingress() -> RecordingIngress:
    return RecordingIngress()


async def another_poll(server: TelegramServer) -> None:
    polls = len(server.called("getUpdates"))
    await server.until(lambda: len(server.called("getUpdates")) > polls)


async def test_a_message_comes_in_with_its_address(server: TelegramServer, ingress: RecordingIngress) -> None:
    async with open_platform(server) as platform, receiving(platform, ingress) as name:
        message_id = await server.write(7, "Hello")
        message = await ingress.first()

    assert name == "wakeful_bot"
    assert (message.kind, message.text, message.quoted) == (ChatKind.PRIVATE, "Hello", "")
    assert (message.address.platform, message.address.chat_id, message.address.thread_id) == ("telegram", "7", "")
    sender = message.address.sender
    assert (sender.message_id, sender.user_id, sender.user_name) == (str(message_id), "7", "Ann Lee")


async def test_commands_are_listed_when_the_line_stands(server: TelegramServer, ingress: RecordingIngress) -> None:
    async with open_platform(server) as platform, receiving(platform, ingress):
        assert [each["command"] for each in server.commands] == ["new", "stop"]


async def test_an_update_is_confirmed_only_after_the_commit(server: TelegramServer, ingress: RecordingIngress) -> None:
    ingress.gates["7"] = asyncio.Event()
    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.write(7, "Hello")
        await ingress.until(lambda: ingress.reached)
        await another_poll(server)
        assert list(server.updates), "it was confirmed while it was taken in"

        ingress.gates["7"].set()
        await server.until(lambda: not server.updates)

    assert ingress.texts == ["Hello"]


async def test_what_was_not_taken_is_handed_in_again_before_what_came_later(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    ingress.failures = 2
    await server.write(7, "first")
    await server.write(7, "second")

    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.until(lambda: not server.updates)

    assert ingress.texts == ["first", "second"]
    assert ingress.reached == ["7"] * 4


async def test_a_slow_chat_holds_up_the_offset_but_no_other_chat(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    ingress.gates["7"] = asyncio.Event()
    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.write(7, "slow")
        await ingress.until(lambda: ingress.reached)
        await server.write(7, "behind it")
        await server.write(8, "quick")
        await ingress.until(lambda: ingress.texts == ["quick"])
        await server.write(9, "quick too")
        await ingress.until(lambda: ingress.texts == ["quick", "quick too"])
        assert len(server.updates) == 4
        assert ingress.reached.count("7") == 1, "messages of a chat were handed in side by side"

        ingress.gates["7"].set()
        await server.until(lambda: not server.updates)

    assert ingress.texts == ["quick", "quick too", "slow", "behind it"]


async def test_the_offset_moves_past_what_is_done_before_a_slow_one(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    ingress.gates["7"] = asyncio.Event()
    await server.write(8, "done")
    await server.write(7, "slow")
    await server.write(9, "done too")

    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.until(lambda: len(server.updates) == 2)

        assert [update["message"]["text"] for update in server.updates.values()] == ["slow", "done too"]


async def test_what_was_unconfirmed_when_the_line_broke_comes_again(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    ingress.gates["7"] = asyncio.Event()
    async with open_platform(server) as platform:
        async with receiving(platform, ingress):
            await server.write(7, "Hello")
            await ingress.until(lambda: ingress.reached)
        assert ingress.texts == []

        ingress.gates.clear()
        async with receiving(platform, ingress):
            assert (await ingress.first()).text == "Hello"


async def test_an_update_that_cannot_be_read_is_passed_over(server: TelegramServer, ingress: RecordingIngress) -> None:
    await server.update(message={"message_id": "of another kind"})
    await server.write(7, "Hello")

    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.until(lambda: not server.updates)

    assert ingress.texts == ["Hello"]


async def test_polling_removes_a_webhook(server: TelegramServer, ingress: RecordingIngress) -> None:
    server.webhook = {"url": "https://elsewhere.example/hook"}

    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.write(7, "Hello")
        assert (await ingress.first()).text == "Hello"

    assert server.webhook == {}


async def test_a_second_program_that_polls_ends_the_line_with_the_reason(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    async with open_platform(server) as first, open_platform(server) as second:
        running = asyncio.create_task(first.run(ingress, lambda name: None))
        await server.until(lambda: len(server.called("getUpdates")) > 1)
        async with receiving(second, RecordingIngress()):
            with pytest.raises(OtherReceiver, match="Another program receives"):
                await running


@pytest.mark.parametrize("trouble", [Trouble.BROKEN, Trouble.CUT_BEFORE, Trouble.LIMITED])
async def test_an_outage_ends_the_line(server: TelegramServer, ingress: RecordingIngress, trouble: Trouble) -> None:
    server.troubles["getUpdates"] = [trouble]

    async with open_platform(server) as platform:
        with pytest.raises((Unanswered, NotTaken)):
            await platform.run(ingress, lambda name: None)


async def test_a_wrong_token_is_refused(server: TelegramServer, ingress: RecordingIngress) -> None:
    async with open_platform(server, token="1:wrong") as platform:
        with pytest.raises(TokenRefused, match="BotFather") as refusal:
            await platform.run(ingress, lambda name: None)

    assert "1:wrong" not in str(refusal.value)


async def test_the_token_is_in_no_log_and_no_error(
    server: TelegramServer, ingress: RecordingIngress, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.troubles["getMe"] = [trouble for trouble in Trouble if trouble not in (Trouble.SILENT, Trouble.SLOW)]
    away, nowhere = platform_at("http://127.0.0.1:1"), platform_at("no address")
    async with open_platform(server) as platform:
        for line in (*[platform] * len(server.troubles["getMe"]), away, nowhere):
            with pytest.raises(WakefulError) as broken:
                await line.run(ingress, lambda name: None)
            assert TOKEN not in "".join(traceback.format_exception(broken.value))
    await away.close()
    await nowhere.close()

    assert TOKEN not in caplog.text
    assert TOKEN not in repr(platform._settings)


async def test_a_press_is_answered_with_what_the_ingress_says(
    server: TelegramServer, ingress: RecordingIngress
) -> None:
    message_id = await server.write(FORUM, "with a button", message_thread_id=5, is_topic_message=True)
    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.press(FORUM, message_id, "post_1:once")
        await server.until(lambda: not server.updates)

    [press] = ingress.presses
    assert (press.value, press.message_id, press.kind) == ("post_1:once", str(message_id), ChatKind.GROUP)
    assert (press.address.chat_id, press.address.thread_id) == (str(FORUM), "5")
    assert (press.address.sender.user_id, press.address.sender.user_name) == ("7", "Ann Lee")
    assert server.answers == {"q1": "Approved."}


async def test_a_press_that_takes_long_is_answered_first_and_confirmed_at_its_end(
    server: TelegramServer, ingress: RecordingIngress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiver, "_ANSWER_SECONDS", 0.01)
    message_id = await server.write(7, "with a button")
    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.until(lambda: not server.updates)
        ingress.gates["7"] = asyncio.Event()
        await server.press(7, message_id, "post_1:once")
        await server.until(lambda: "q1" in server.answers)
        await another_poll(server)
        assert len(server.updates) == 1

        ingress.gates["7"].set()
        await server.until(lambda: not server.updates)

    assert len(ingress.presses) == 1


async def test_a_press_does_not_wait_behind_a_slow_message(server: TelegramServer, ingress: RecordingIngress) -> None:
    message_id = await server.write(8, "with a button")
    server.chat(8).messages[message_id]["chat"] = {"id": 7, "type": "private"}
    ingress.gates["7"] = asyncio.Event()
    await server.write(7, "slow")
    async with open_platform(server) as platform, receiving(platform, ingress):
        await server.press(8, message_id, "post_1:once")
        await ingress.until(lambda: ingress.reached.count("7") == 2)


@pytest.mark.parametrize(
    ("is_open", "hears"), [(False, "mentions, replies and commands only"), (True, "every message")]
)
async def test_the_check_names_the_bot_and_what_it_hears(server: TelegramServer, is_open: bool, hears: str) -> None:
    server.bot["can_read_all_group_messages"] = is_open

    async with open_platform(server) as platform:
        checked = await platform.check()

    assert checked == [("telegram", "ok", f"@wakeful_bot; in groups Telegram sends it {hears}")]


async def test_the_check_warns_of_a_webhook_while_polling(server: TelegramServer) -> None:
    server.webhook = {"url": "https://elsewhere.example"}

    async with open_platform(server) as platform:
        [(name, state, sentence)] = await platform.check()

    assert (name, state) == ("telegram", "warn")
    assert "webhook is set" in sentence


async def test_the_check_fails_for_a_wrong_token_and_a_server_that_is_not_there(server: TelegramServer) -> None:
    checks: list[tuple[str, str, str]] = []
    for platform in (platform_at(server.url, token="1:wrong"), platform_at("http://127.0.0.1:1")):
        checks += await platform.check()
        await platform.close()

    assert [state for _, state, _ in checks] == ["fail", "fail"]
    assert "WAKEFUL_TELEGRAM_TOKEN" in checks[0][2]
    assert "cannot be reached" in checks[1][2]
