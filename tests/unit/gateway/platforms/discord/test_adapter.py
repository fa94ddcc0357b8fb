"""Discord's adapter: what a token that is refused means for a post, and which message a lost post is."""

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from wakeful.gateway.messaging.needs import PlatformNeeds
from wakeful.gateway.messaging.platform import Cure, LookedUp, Message, NotTaken, Refused, TokenRefused, Whereabouts
from wakeful.gateway.messaging.settings import PlatformAccess
from wakeful.gateway.platforms.discord.adapter import DiscordPlatform, DiscordSettings, build_discord
from wakeful.model.messaging.chat import Chat
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.session import Address

ACCESS = PlatformAccess("http://127.0.0.1:9/api", "token")
POST = Post("post_1", "key", Address("discord", "1", "2"), PostKind.ANSWER, "words", message_id="9")
BOT, ABSENT = 5, LookedUp(Whereabouts.ABSENT)
WORDS = Message("Some words of an answer")


@dataclass
class Client:
    """Answers each request with the next of these, and has these messages."""

    answers: list[Any] = field(default_factory=list)
    shown: Any = ()
    calls: list[tuple[str, str, Any]] = field(default_factory=list)
    searched: list[tuple[str, int, int]] = field(default_factory=list)
    bot: Any = field(default_factory=lambda: SimpleNamespace(id=BOT, name="wakeful"))

    async def call(self, route: Any, payload: Any = None, *, file: Any = None) -> Any:
        self.calls.append((route.method, route.url.removeprefix(ACCESS.api_url), payload))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def messages_after(self, channel: str, after: int, limit: int) -> Any:
        self.searched.append((channel, after, limit))
        if isinstance(self.shown, Exception):
            raise self.shown
        return self.shown


async def no_chats(since: float) -> list[Chat]:
    return []


async def a_platform(client: Any) -> DiscordPlatform:
    platform = DiscordPlatform(DiscordSettings(ACCESS), chats=no_chats)
    await platform.close()
    platform._client = client
    return platform


def a_message(
    id: int, content: str = WORDS.text, author: int = BOT, reply_to: int | None = None, files: Any = ()
) -> Any:
    reference = None if reply_to is None else SimpleNamespace(message_id=reply_to)
    author_ = SimpleNamespace(id=author)
    return SimpleNamespace(id=id, content=content, author=author_, reference=reference, attachments=files)


async def test_posts_and_edits_wait_while_the_token_is_refused() -> None:
    platform = await a_platform(Client([TokenRefused("no"), TokenRefused("no")]))

    with pytest.raises(NotTaken, match="no"):
        await platform.send(POST, WORDS)
    with pytest.raises(NotTaken, match="no"):
        await platform.edit(POST, WORDS)


async def test_a_post_goes_to_its_thread_and_an_edit_to_its_message() -> None:
    client = Client([{"id": "7"}, {}])
    platform = await a_platform(client)

    assert await platform.send(POST, WORDS) == "7"
    await platform.edit(POST, WORDS)
    assert [(method, path) for method, path, _ in client.calls] == [
        ("POST", "/channels/2/messages"),
        ("PATCH", "/channels/2/messages/9"),
    ]


async def test_a_fresh_post_is_found_by_sending_it_again() -> None:
    client = Client([{"id": "7"}])
    platform = await a_platform(client)

    found = await platform.look_up(replace(POST, attempted_at=time.time() - 100), WORDS)

    assert (found, client.calls[0][2]["nonce"]) == (LookedUp(Whereabouts.FOUND, "7"), "post_1")


@pytest.mark.parametrize("error", [Refused("closed"), NotTaken("too long", cure=Cure.SHORTER)])
async def test_a_post_that_discord_will_not_take_so_is_absent(error: Exception) -> None:
    platform = await a_platform(Client([error]))

    assert await platform.look_up(replace(POST, attempted_at=time.time()), WORDS) == ABSENT


async def test_a_limit_leaves_it_unknown() -> None:
    platform = await a_platform(Client([NotTaken("limit", seconds=3.0)]))

    with pytest.raises(NotTaken) as raised:
        await platform.look_up(replace(POST, attempted_at=time.time()), WORDS)
    assert raised.value.seconds == 3.0


async def test_a_search_with_a_token_that_is_refused_is_made_later() -> None:
    platform = await a_platform(Client(shown=TokenRefused("no")))

    with pytest.raises(NotTaken, match="no"):
        await platform.look_up(POST, WORDS)


async def test_an_old_post_is_looked_for_from_just_before_it_was_sent() -> None:
    attempted_at = time.time() - 1000
    client = Client(shown=[a_message(1), a_message(2), a_message(3, author=6), a_message(4, "others")])
    platform = await a_platform(client)

    assert await platform.look_up(replace(POST, attempted_at=attempted_at), WORDS) == LookedUp(Whereabouts.FOUND, "2")
    ((channel, after, limit),) = client.searched
    assert (channel, limit, client.calls) == ("2", 500, [])
    assert discord.utils.snowflake_time(after).timestamp() == pytest.approx(attempted_at - 5.0, abs=0.01)


@pytest.mark.parametrize(
    ("shown", "message", "is_same"),
    [
        (a_message(1), WORDS, True),
        (a_message(1, " Some words of an answer\n"), WORDS, True),
        (a_message(1, "Some wor"), WORDS, True),
        (a_message(1, "Some wo"), WORDS, False),
        (a_message(1, "Some words\n```"), WORDS, True),
        (a_message(1, "Some other words"), WORDS, False),
        (a_message(1, "Hi"), Message("Hi"), True),
        (a_message(1, reply_to=3), WORDS, False),
        (a_message(1, reply_to=3), replace(WORDS, reply_to="3"), True),
        (a_message(1), replace(WORDS, reply_to="3"), False),
        (a_message(1, files=["a"]), WORDS, False),
    ],
)
async def test_which_message_is_the_post(shown: Any, message: Message, is_same: bool) -> None:
    platform = await a_platform(Client(shown=[shown]))

    assert await platform.look_up(POST, message) == (LookedUp(Whereabouts.FOUND, "1") if is_same else ABSENT)


async def test_a_platform_has_what_it_is_built_from() -> None:
    async def recall() -> list[tuple[str, str]]:
        return []

    needs = PlatformNeeds(ACCESS, 7.0, "", [("help", "this list")], no_chats, recall, "")
    platform = build_discord(needs)
    limits = platform._client.http.request.keywords["timeout"]  # type: ignore[attr-defined]
    await platform.close()

    assert (platform._commands, limits.total) == ([("help", "this list")], 7.0)
    assert platform.lane(POST.address) == "1:2"
    assert await platform.highest_id(POST.address) == 0, "Discord looks a post up by its nonce"


async def test_typing_is_shown_in_the_thread_and_its_end_needs_no_request() -> None:
    client = Client([None])
    platform = await a_platform(client)
    await platform.show_typing(POST.address)
    await platform.show_typing(POST.address, is_over=True)

    assert [(method, path) for method, path, _ in client.calls] == [("POST", "/channels/2/typing")]


@pytest.mark.parametrize(("size", "is_sent"), [(10_000_000, True), (10_000_001, False)])
async def test_a_file_that_is_too_large_for_discord_is_refused_before_it_is_sent(
    tmp_path: Path, size: int, is_sent: bool
) -> None:
    path = tmp_path / "a.bin"
    with path.open("wb") as file:
        file.truncate(size)
    client = Client([{"id": "7"}])
    platform = await a_platform(client)

    if is_sent:
        assert await platform.send(POST, Message("", file=path)) == "7"
    else:
        with pytest.raises(Refused, match=r"a\.bin is too large for Discord \(10 MB, at most 10 MB\)"):
            await platform.send(POST, Message("", file=path))
        assert client.calls == []


async def test_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    platform = await a_platform(Client())

    with pytest.raises(Refused, match=r"a\.bin cannot be read \(No such file or directory\)"):
        await platform.send(POST, Message("", file=tmp_path / "a.bin"))


@pytest.mark.parametrize(
    ("full", "limited", "state"), [(True, False, "ok"), (False, True, "ok"), (False, False, "fail")]
)
async def test_the_check_needs_the_intent_to_read_messages(full: bool, limited: bool, state: str) -> None:
    client: Any = Client()
    client.application_flags = SimpleNamespace(gateway_message_content=full, gateway_message_content_limited=limited)
    client.log_in = nothing
    platform = await a_platform(client)

    ((name, found, words),) = await platform.check()
    assert (name, found) == ("discord", state)
    assert "intent" in words.lower()


async def test_the_check_says_why_the_bot_cannot_log_in() -> None:
    async def refuse() -> None:
        raise TokenRefused("The token is wrong.")

    client: Any = Client()
    client.log_in = refuse
    platform = await a_platform(client)

    assert await platform.check() == [("discord", "fail", "The token is wrong.")]


@pytest.mark.parametrize("answer", [None, NotTaken("limit"), Refused("no")], ids=["taken", "limited", "refused"])
async def test_commands_are_offered_and_work_also_where_discord_does_not_list_them(answer: Any) -> None:
    client: Any = Client([answer])
    client.application_id = 3
    platform = await a_platform(client)
    await platform._offer_commands()

    assert [(method, path) for method, path, _ in client.calls] == [("PUT", "/applications/3/commands")]


async def nothing() -> None:
    """Succeed."""
