"""The client of Discord: how often it begins a session, and what it knows of channels without asking."""

import asyncio
import math
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import orjson
import pytest
from discord.http import Route
from yarl import URL

from tests.patience import PATIENCE
from tests.unit.gateway.webhooks.kit import Receiver
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import Message, NotTaken, Refused, Unanswered
from wakeful.gateway.platforms.discord.adapter import _check_size
from wakeful.gateway.platforms.discord.channels import DiscordChannel, DiscordChannels
from wakeful.gateway.platforms.discord.client import DiscordClient
from wakeful.model.messaging.chat import Chat, ChatKind


@pytest.fixture
async def client() -> AsyncIterator[DiscordClient]:
    client = DiscordClient("token", "http://127.0.0.1:9/api", timeout=1.0, identify_seconds=5.0)
    yield client
    await client.shut()
    assert client.is_closed()


def answering(client: DiscordClient, answer: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let each request of the client get this answer; return the paths that are asked for."""
    asked = []

    async def call(route: Any) -> Any:
        asked.append(route.path.format(channel_id=route.channel_id))
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(client, "call", call)
    return asked


async def test_two_new_sessions_lie_apart_as_discord_wants_them(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "sleep", sleep)
        for _ in range(3):
            await client.before_identify_hook(None)

    assert slept[0] == -math.inf
    assert all(0 < seconds <= 5.0 for seconds in slept[1:])


@pytest.mark.parametrize("limit", [{}, {"session_start_limit": {}}, {"session_start_limit": {"remaining": 1}}])
async def test_a_bot_that_may_connect_learns_where(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch, limit: dict[str, Any]
) -> None:
    answering(client, {"url": "wss://gateway.example"} | limit, monkeypatch)

    assert await client.gateway_address() == URL("wss://gateway.example")


async def test_a_bot_that_has_no_session_left_is_told_when_it_may(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = {"url": "wss://gateway.example", "session_start_limit": {"remaining": 0, "reset_after": 5000}}
    answering(client, answer, monkeypatch)

    with pytest.raises(WakefulError, match="in 5 s"):
        await client.gateway_address()


async def test_a_chat_that_has_a_session_is_not_asked_for(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(client, {}, monkeypatch)
    channels = DiscordChannels(client)
    thread = Chat("discord:group:1:2", "discord", ChatKind.GROUP, "1", "2", "ses", "kitchen")

    assert channels.learn(thread) == "2"
    assert await channels.find(2, is_private=False) == DiscordChannel(ChatKind.GROUP, "1", "2", "kitchen")
    assert await channels.find(5, is_private=True) == DiscordChannel(ChatKind.PRIVATE, "5")
    assert asked == []


@pytest.mark.parametrize(
    ("type_", "found"),
    [
        (0, DiscordChannel(ChatKind.GROUP, "2", name="general")),
        (1, DiscordChannel(ChatKind.PRIVATE, "2", name="general")),
        (3, DiscordChannel(ChatKind.PRIVATE, "2", name="general")),
        (11, DiscordChannel(ChatKind.GROUP, "1", "2", "general")),
    ],
)
async def test_any_other_channel_is_asked_for_once(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch, type_: int, found: DiscordChannel
) -> None:
    asked = answering(client, {"id": "2", "type": type_, "parent_id": "1", "name": "general"}, monkeypatch)
    channels = DiscordChannels(client)

    assert [await channels.find(2, is_private=False) for _ in range(2)] == [found, found]
    assert asked == ["/channels/2"]


async def test_a_thread_that_the_gateway_has_named_is_not_asked_for(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(client, {}, monkeypatch)
    thread = object.__new__(discord.Thread)
    thread.parent_id, thread.name = 1, "kitchen"
    monkeypatch.setattr(client, "get_channel", lambda id: thread)

    assert await DiscordChannels(client).find(2, is_private=False) == DiscordChannel(
        ChatKind.GROUP, "1", "2", "kitchen"
    )
    assert asked == []


async def test_a_channel_whose_rights_are_lost_is_a_group_all_the_same(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(client, Refused("Missing Access"), monkeypatch)

    assert await DiscordChannels(client).find(2, is_private=False) == DiscordChannel(ChatKind.GROUP, "2")


async def test_a_person_in_a_chat_without_a_name_gives_it_theirs() -> None:
    person: Any = SimpleNamespace(id=9, display_name="Ada")

    assert DiscordChannel(ChatKind.PRIVATE, "5").address(3, person).sender.chat_name == "Ada"
    assert DiscordChannel(ChatKind.GROUP, "5", name="general").address(3, person).sender.chat_name == "general"


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, Refused), (404, Refused), (499, Refused), (500, Unanswered), (302, Unanswered), (201, Unanswered)],
)
async def test_a_file_that_is_not_handed_out_is_refused_or_asked_for_again(
    client: DiscordClient, status: int, error: type[Exception]
) -> None:
    async with Receiver(status).serving() as server:
        with pytest.raises(error):
            [piece async for piece in client.download(f"http://127.0.0.1:{server.port}/a")]


async def test_a_file_is_read_and_a_cut_line_may_be_tried_again(client: DiscordClient) -> None:
    async with Receiver(200).serving() as server:
        url = f"http://127.0.0.1:{server.port}/a"
        assert b"".join([piece async for piece in client.download(url)]) == b""
    with pytest.raises(Unanswered):
        [piece async for piece in client.download(url)]


def test_a_file_has_at_most_ten_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with path.open("wb") as file:
        file.truncate(10_000_000)
    _check_size(Message("", file=path))
    with path.open("wb") as file:
        file.truncate(10_000_001)

    with pytest.raises(Refused, match=r"a\.bin is too large for Discord \(10 MB"):
        _check_size(Message("", file=path))
    with pytest.raises(Refused, match=r"gone\.bin cannot be read"):
        _check_size(Message("", file=tmp_path / "gone.bin"))


async def test_a_login_is_made_once_and_one_that_fails_leaves_no_session_open(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    logins: list[Any] = []
    outcomes: list[Exception | None] = [TimeoutError(), None]
    closed: list[str] = []

    async def login(token: str) -> None:
        logins.append(token)
        if (error := outcomes.pop(0)) is not None:
            raise error

    async def close() -> None:
        closed.append("closed")

    monkeypatch.setattr(client, "login", login)
    with monkeypatch.context() as patch:
        patch.setattr(client.http, "close", close)
        client.http.connector = object()  # type: ignore[assignment]
        # The caller's own request was not made.
        with pytest.raises(NotTaken):
            await client.log_in()
        assert (closed, client.http.connector) == (["closed"], discord.utils.MISSING)
        for _ in range(3):
            await client.log_in()

    assert (logins, closed) == (["token", "token"], ["closed"])


async def test_who_the_bot_is_is_known_after_the_login(client: DiscordClient) -> None:
    with pytest.raises(WakefulError, match="who the bot is"):
        _ = client.bot
    user: Any = SimpleNamespace(id=5)
    client._connection.user = user

    assert client.bot is user


async def test_the_roles_of_the_bot_are_those_of_this_session_and_of_the_one_before(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    guilds = [SimpleNamespace(self_role=role) for role in (SimpleNamespace(id=9), None, SimpleNamespace(id=7))]
    monkeypatch.setattr(DiscordClient, "guilds", guilds)
    client.recalled_roles = (8, 7)

    assert client.own_roles == (7, 8, 9)


def test_each_event_of_the_gateway_goes_to_its_place_at_once(client: DiscordClient) -> None:
    class Events:
        def __getattr__(self, name: str) -> Any:
            return lambda *given: seen.append((name, *given))

    seen: list[Any] = []
    events: Any = Events()
    client.events = events
    for event in ("connect", "resumed", "ready", "message", "interaction"):
        client.dispatch(event, *([5] if event in ("message", "interaction") else []))

    assert seen == [("identified",), ("resumed",), ("message", 5), ("interaction", 5)]


@pytest.mark.parametrize(("payload", "sent"), [(None, {}), ({"a": 1}, {"json": {"a": 1}}), ([], {"json": []})])
async def test_a_request_is_made_after_the_login_with_its_payload(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch, payload: Any, sent: dict[str, Any]
) -> None:
    steps: list[Any] = []

    async def log_in() -> None:
        steps.append("login")

    async def ask(route: Any, **given: Any) -> str:
        steps.append(given)
        return "answer"

    monkeypatch.setattr(client, "log_in", log_in)
    monkeypatch.setattr(client.http, "request", ask)

    assert await client.call(Route("GET", "/gateway/bot"), payload) == "answer"
    assert steps == ["login", sent]


async def test_a_file_is_sent_with_its_words_and_closed(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello", encoding="utf-8")
    sent: list[Any] = []

    async def log_in() -> None: ...

    async def ask(route: Any, *, form: Any, files: Any, timeout: Any) -> str:
        sent.append((form[0], form[1]["filename"], form[1]["value"].read(), timeout.total, files[0].fp))
        return "answer"

    monkeypatch.setattr(client, "log_in", log_in)
    monkeypatch.setattr(client.http, "request", ask)
    await client.call(Route("POST", "/channels/1/messages"), {"content": "see"}, file=path)

    ((words, name, data, seconds, opened),) = sent
    assert (words["name"], name, data, seconds) == ("payload_json", "a.txt", b"hello", 10.0)
    assert orjson.loads(words["value"])["content"] == "see"
    assert [file["filename"] for file in orjson.loads(words["value"])["attachments"]] == ["a.txt"]
    assert opened.closed
    with pytest.raises(Refused, match=r"gone\.txt cannot be read"):
        await client.call(Route("POST", "/channels/1/messages"), {}, file=tmp_path / "gone.txt")


async def test_the_messages_of_a_channel_come_oldest_first(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    class Channel:
        async def history(self, *, limit: int, after: Any, oldest_first: bool) -> AsyncIterator[str]:
            asked.append((limit, after.id, oldest_first))
            yield "first"
            yield "second"

    def channel(id: int) -> Channel:
        asked.append(id)
        return Channel()

    async def log_in() -> None:
        asked.append("login")

    monkeypatch.setattr(client, "log_in", log_in)
    monkeypatch.setattr(client, "get_partial_messageable", channel)

    assert await client.messages_after("7", 5, 200) == ["first", "second"]
    assert asked == ["login", 7, (200, 5, True)]


async def test_a_client_that_shuts_ends_the_requests_under_way(
    client: DiscordClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def log_in() -> None: ...

    async def ask(route: Any, **given: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(client, "log_in", log_in)
    monkeypatch.setattr(client.http, "request", ask)
    calling = asyncio.create_task(client.call(Route("GET", "/gateway/bot")))
    async with asyncio.timeout(PATIENCE):
        await begun.wait()
        await client.shut()
        await asyncio.gather(calling, return_exceptions=True)

    assert not client._under_way.jobs
