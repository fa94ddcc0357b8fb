"""Telegram's adapter: what a refusal means for the door and for a post, groups that move, and what it remembers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.gateway.platforms.telegram.client import ScriptedClient
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.needs import PlatformNeeds
from wakeful.gateway.messaging.platform import (
    LookedUp,
    Message,
    NotTaken,
    Refused,
    TokenRefused,
    Unanswered,
    Whereabouts,
)
from wakeful.gateway.messaging.settings import PlatformAccess
from wakeful.gateway.platforms.telegram.adapter import (
    OtherReceiver,
    TelegramPlatform,
    TelegramSettings,
    build_telegram,
)
from wakeful.gateway.platforms.telegram.client import TelegramRefusal
from wakeful.gateway.platforms.telegram.webhook import TelegramWebhook
from wakeful.gateway.platforms.telegram.wire import TgSent, TgUser, TgWebhookInfo
from wakeful.model.messaging.chat import Chat
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.session import Address

ACCESS = PlatformAccess("http://127.0.0.1:9", "1:token")
WORDS = Message("words")
HOOK = TelegramWebhook("https://wakeful.example", "secret")


def a_post(id: str = "post_1", chat_id: str = "-7", **values: Any) -> Post:
    return Post(id, id, Address("telegram", chat_id), PostKind.ANSWER, "words", **values)


class Recall:
    def __init__(self, *known: tuple[str, str]) -> None:
        self.known = known
        self.times = 0

    async def __call__(self) -> list[tuple[str, str]]:
        self.times += 1
        return list(self.known)


def a_platform(
    recall: Recall | None = None, webhook: TelegramWebhook | None = None, **answers: Callable[[Any], Any]
) -> tuple[TelegramPlatform, ScriptedClient]:
    platform = TelegramPlatform(TelegramSettings(ACCESS), recall=recall or Recall(), webhook=webhook)
    client: Any = ScriptedClient(answers)
    platform._client = client
    return platform, client


@pytest.mark.parametrize(
    ("code", "words", "error"),
    [
        (401, "Unauthorized", TokenRefused),
        (404, "Not Found", TokenRefused),
        (409, "terminated by other getUpdates request", OtherReceiver),
        (409, "can't use getUpdates while a webhook is active", TelegramRefusal),
        (400, "Bad Request", TelegramRefusal),
    ],
)
async def test_what_a_refusal_means_for_the_door(code: int, words: str, error: type[WakefulError]) -> None:
    platform, _ = a_platform(getMe=lambda _: TelegramRefusal(code, words))
    nobody: Any = None

    with pytest.raises(error) as raised:
        await platform.run(nobody, lambda name: None)
    assert ("WAKEFUL_TELEGRAM_API_URL" in str(raised.value)) == (code == 404)
    assert await platform.check() == [("telegram", "fail", str(raised.value))]


@pytest.mark.parametrize("error", [NotTaken("away"), Unanswered("cut")])
async def test_the_check_fails_where_telegram_cannot_be_asked(error: Exception) -> None:
    platform, _ = a_platform(getMe=lambda _: error)

    assert await platform.check() == [("telegram", "fail", str(error))]


@pytest.mark.parametrize(
    ("webhook", "info", "state"),
    [
        (None, TgWebhookInfo(), "ok"),
        (None, TgWebhookInfo("https://elsewhere.example"), "warn"),
        (HOOK, TgWebhookInfo("https://wakeful.example/platforms/telegram"), "ok"),
        (HOOK, TgWebhookInfo(), "warn"),
        (HOOK, TgWebhookInfo("https://wakeful.example/platforms/telegram", "Timeout"), "warn"),
    ],
)
async def test_the_check_compares_the_webhook(webhook: TelegramWebhook | None, info: TgWebhookInfo, state: str) -> None:
    platform, _ = a_platform(webhook=webhook, getMe=lambda _: TgUser(5, username="bot"), getWebhookInfo=lambda _: info)

    assert [found for _, found, _ in await platform.check()] == [state]


async def test_a_group_that_has_moved_is_written_to_under_its_new_id() -> None:
    moved = TelegramRefusal(400, "group chat was upgraded", -100)
    platform, client = a_platform(
        sendMessage=lambda params: moved if params["chat_id"] == -7 else TgSent(3), editMessageText=lambda _: True
    )
    with pytest.raises(NotTaken):
        await platform.send(a_post(), WORDS)
    assert await platform.send(a_post(), WORDS) == "3"
    await platform.edit(a_post(message_id="3"), WORDS)

    assert [params["chat_id"] for _, params in client.calls] == [-7, -100, -100]
    assert platform.lane(a_post().address) == "-100"
    with pytest.raises(Refused, match="before"):
        await platform.edit(a_post("post_0", message_id="2"), WORDS)
    assert await platform.look_up(a_post(highest_id=2), WORDS) == LookedUp(Whereabouts.UNKNOWABLE)


@pytest.mark.parametrize(
    ("words", "error"), [("message is not modified", None), ("message to edit not found", Refused)]
)
async def test_an_edit_that_changes_nothing_is_done_and_another_refusal_is_told(
    words: str, error: type[Exception] | None
) -> None:
    platform, _ = a_platform(editMessageText=lambda _: TelegramRefusal(400, words))
    if error is None:
        await platform.edit(a_post(message_id="3"), WORDS)
    else:
        with pytest.raises(error):
            await platform.edit(a_post(message_id="3"), WORDS)


async def test_what_is_known_of_ids_is_recalled_once_before_anything_is_sent() -> None:
    recall = Recall(("-7", "12"), ("-7", "no number"))
    platform, _ = a_platform(recall, sendMessage=lambda _: TgSent(13))

    assert await platform.highest_id(a_post().address) == 12
    await platform.send(a_post(), WORDS)
    assert await platform.highest_id(a_post().address) == 13
    assert recall.times == 1


async def test_a_lost_post_without_an_id_before_it_is_unknowable_and_one_with_it_is_looked_for() -> None:
    recall = Recall(("-7", "12"))
    platform, client = a_platform(
        recall, editMessageReplyMarkup=lambda _: TelegramRefusal(400, "message to edit not found")
    )

    assert (await platform.look_up(a_post(), WORDS)).whereabouts is Whereabouts.UNKNOWABLE
    assert (await platform.look_up(a_post(highest_id=11), WORDS)).whereabouts is Whereabouts.ABSENT
    asked = [params["message_id"] for params in client.asked("editMessageReplyMarkup")]
    assert (asked, recall.times) == (list(range(13, 22)), 1)


async def test_typing_is_shown_and_ends_by_itself() -> None:
    platform, client = a_platform(sendChatAction=lambda _: True)
    await platform.show_typing(Address("telegram", "-7", "5"))
    await platform.show_typing(Address("telegram", "-7", "5"), is_over=True)

    assert client.calls == [("sendChatAction", {"chat_id": -7, "message_thread_id": 5, "action": "typing"})]


@pytest.mark.parametrize(("mode", "routes"), [("polling", []), ("webhook", ["/platforms/telegram"])])
async def test_a_platform_has_what_it_is_built_from(mode: str, routes: list[str]) -> None:
    async def chats(since: float) -> list[Chat]:
        return []

    access = PlatformAccess("http://127.0.0.1:9", "1:token", mode=mode)
    needs = PlatformNeeds(access, 7.0, "https://wakeful.example/", [("help", "this")], chats, Recall(), "secret")
    platform = build_telegram(needs)

    assert [route.path for route in needs.routes] == routes
    assert (platform._settings.timeout, platform._commands) == (7.0, [("help", "this")])
    assert (platform._webhook is None) == (mode == "polling")


async def test_of_a_file_the_caption_is_edited() -> None:
    platform, client = a_platform(editMessageCaption=lambda _: True)
    await platform.edit(a_post(message_id="3"), Message("words", file=Path("a.txt")))

    ((_, params),) = client.calls
    assert (params["chat_id"], params["message_id"], params["caption"]) == (-7, 3, "words")


async def test_a_post_replies_to_its_message_unless_the_group_has_moved() -> None:
    moved = TelegramRefusal(400, "group chat was upgraded", -100)
    answers: list[Any] = [TgSent(3), moved, TgSent(4)]
    platform, client = a_platform(sendMessage=lambda _: answers.pop(0))
    reply = Message("words", reply_to="2")
    await platform.send(a_post(), reply)
    with pytest.raises(NotTaken):
        await platform.send(a_post("post_2"), reply)
    await platform.send(a_post("post_2"), reply)

    assert ["reply_parameters" in params for _, params in client.calls] == [True, True, False]


@pytest.mark.parametrize("error", [OSError(2, "No such file"), None], ids=["gone", "there"])
async def test_a_file_that_cannot_be_read_is_refused(monkeypatch: pytest.MonkeyPatch, error: Exception | None) -> None:
    platform, client = a_platform()

    async def upload(method: str, kind: Any, name: str, path: Path, **params: Any) -> TgSent:
        assert (method, name, path, params["chat_id"], params["caption"]) == (
            "sendDocument",
            "document",
            Path("a.txt"),
            -7,
            "words",
        )
        if error is not None:
            raise error
        return TgSent(3)

    monkeypatch.setattr(client, "upload", upload, raising=False)
    message = Message("words", file=Path("a.txt"))
    if error is None:
        assert await platform.send(a_post(), message) == "3"
    else:
        with pytest.raises(Refused, match=r"a\.txt cannot be read \(No such file\)"):
            await platform.send(a_post(), message)


@pytest.mark.parametrize(("reads_all", "words"), [(True, "every message"), (False, "mentions, replies and commands")])
async def test_the_check_says_what_the_bot_hears_in_groups(reads_all: bool, words: str) -> None:
    bot = TgUser(5, username="bot", can_read_all_group_messages=reads_all)
    platform, _ = a_platform(getMe=lambda _: bot, getWebhookInfo=lambda _: TgWebhookInfo())

    ((_, _, said),) = await platform.check()
    assert said.startswith(f"@bot; in groups Telegram sends it {words}")


@pytest.mark.parametrize("refusal", [None, TelegramRefusal(400, "no")], ids=["taken", "refused"])
async def test_commands_are_offered_and_the_line_opens_also_where_telegram_does_not_list_them(
    monkeypatch: pytest.MonkeyPatch, refusal: Any
) -> None:
    platform, client = a_platform(
        getMe=lambda _: TgUser(5, username="bot"),
        setMyCommands=lambda _: refusal or True,
        getUpdates=lambda _: TelegramRefusal(401, "Unauthorized"),
    )
    monkeypatch.setattr(client, "download", None, raising=False)
    platform._commands = [("help", "this list")]
    nobody: Any = None
    with pytest.raises(TokenRefused):
        await platform.run(nobody, lambda name: None)

    assert client.asked("setMyCommands") == [{"commands": [{"command": "help", "description": "this list"}]}]
