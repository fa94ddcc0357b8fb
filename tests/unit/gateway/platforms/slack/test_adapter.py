"""Slack's adapter: its lines, what it makes of refusals, and what it looks up."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.platforms.kept_memory import KeptMemory
from tests.unit.gateway.platforms.slack.client import Answer, ScriptedClient
from wakeful.gateway.messaging.needs import NO_MEMORY, PlatformNeeds
from wakeful.gateway.messaging.platform import Cure, LookedUp, Message, NotTaken, Refused, TokenRefused, Whereabouts
from wakeful.gateway.messaging.settings import PlatformAccess
from wakeful.gateway.platforms.slack import adapter
from wakeful.gateway.platforms.slack.adapter import SlackPlatform, SlackSettings, build_slack
from wakeful.gateway.platforms.slack.client import SlackRefusal
from wakeful.gateway.platforms.slack.line import SlackLineEnded
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.session import Address, Sender

ACCESS = PlatformAccess("http://localhost:1/api/", "xoxb", "xapp")
POST = Post("post_1", "key", Address("slack", "C1", "5.0"), PostKind.ANSWER, "words", message_id="6.0")
BAD_TOKEN, GONE = SlackRefusal("auth.test", "invalid_auth"), SlackRefusal("chat.postMessage", "thread_not_found")
FILE = Message("words", file=Path("a.txt"))


async def no_chats(since: float) -> list[Chat]:
    return []


def a_platform(monkeypatch: pytest.MonkeyPatch, **answers: Answer) -> tuple[SlackPlatform, ScriptedClient]:
    """`answers` are by the method, with `_` for its dot."""
    client: Any = ScriptedClient({name.replace("_", ".", 1): answer for name, answer in answers.items()})
    monkeypatch.setattr(adapter, "SlackClient", lambda *given, **how: client)
    return SlackPlatform(SlackSettings(ACCESS), no_chats), client


@dataclass
class Line:
    """A line that ends as the test says: with a renewal, or with an error."""

    ends: list[Exception | None]
    open_error: Exception | None = None
    is_closed: bool = False

    async def open(self, url: str, timeout: float) -> None:
        assert (url, timeout) == ("wss://slack.example", 30.0)
        if self.open_error is not None:
            raise self.open_error

    async def until_renewal(self) -> None:
        end = self.ends.pop(0) if self.ends else None
        if end is not None:
            raise end

    async def close(self) -> None:
        self.is_closed = True


@dataclass
class Lines:
    waiting: list[Line]
    opened: list[Line] = field(default_factory=list)

    def __call__(self, client: Any, take: Any, *, ping_seconds: float) -> Line:
        assert ping_seconds == 5.0
        # There is one line at a time, but while a new one takes the place of another.
        assert sum(not line.is_closed for line in self.opened) <= 1
        self.opened.append(self.waiting.pop(0))
        return self.opened[-1]


async def run(monkeypatch: pytest.MonkeyPatch, *lines: Line) -> tuple[list[str], Lines]:
    made = Lines(list(lines))
    platform, client = a_platform(monkeypatch, auth_test=lambda _: {"user_id": "UBOT", "user": "wakeful"})

    async def open_line() -> str:
        return "wss://slack.example"

    monkeypatch.setattr(client, "open_line", open_line, raising=False)
    monkeypatch.setattr(adapter, "SlackLine", made)
    names: list[str] = []
    nobody: Any = None
    async with asyncio.timeout(PATIENCE):
        with pytest.raises((SlackLineEnded, NotTaken)):
            await platform.run(nobody, names.append)
    return names, made


async def test_a_line_that_slack_renews_is_closed_when_the_next_one_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    names, lines = await run(monkeypatch, Line([None]), Line([None]), Line([SlackLineEnded("cut")]))

    assert names == ["wakeful"] * 3
    assert [line.is_closed for line in lines.opened] == [True] * 3


async def test_a_line_that_does_not_open_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    names, lines = await run(monkeypatch, Line([], open_error=NotTaken("away")))

    assert (names, [line.is_closed for line in lines.opened]) == ([], [True])


async def test_the_old_line_is_closed_too_where_its_renewal_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    names, lines = await run(monkeypatch, Line([None]), Line([], open_error=NotTaken("away")))

    assert (names, [line.is_closed for line in lines.opened]) == (["wakeful"], [True, True])


@pytest.mark.parametrize("message", [Message("words"), FILE])
@pytest.mark.parametrize(
    ("code", "is_waiting"), [("invalid_auth", True), ("token_revoked", True), ("channel_not_found", False)]
)
async def test_with_a_bad_token_a_post_waits_and_else_nothing_can_be_known(
    monkeypatch: pytest.MonkeyPatch, message: Message, code: str, is_waiting: bool
) -> None:
    refusal = SlackRefusal("conversations.history", code)
    platform, _ = a_platform(
        monkeypatch,
        auth_test=lambda _: {"user_id": "UBOT"},
        conversations_history=lambda _: refusal,
        conversations_replies=lambda _: refusal,
    )
    if is_waiting:
        with pytest.raises(NotTaken, match=code):
            await platform.look_up(POST, message)
    else:
        assert await platform.look_up(POST, message) == LookedUp(Whereabouts.UNKNOWABLE)


async def test_a_file_waits_where_the_bot_cannot_log_in_to_look_it_up(monkeypatch: pytest.MonkeyPatch) -> None:
    platform, _ = a_platform(monkeypatch, auth_test=lambda _: BAD_TOKEN)

    with pytest.raises(NotTaken, match="WAKEFUL_SLACK_BOT_TOKEN"):
        await platform.look_up(POST, FILE)


async def test_without_its_thread_a_post_goes_to_the_channel_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    platform, client = a_platform(
        monkeypatch, chat_postMessage=lambda params: GONE if "thread_ts" in params else {"ts": "7.0"}
    )
    with pytest.raises(NotTaken):
        await platform.send(POST, Message("words"))

    assert await platform.send(POST, Message("words")) == "7.0"
    assert [params.get("thread_ts") for _, params in client.calls] == ["5.0", None]


async def test_a_refusal_for_another_reason_leaves_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    platform, client = a_platform(monkeypatch, chat_postMessage=lambda _: SlackRefusal("chat", "is_archived"))
    for _ in range(2):
        with pytest.raises(Refused):
            await platform.send(POST, Message("words"))

    assert [params.get("thread_ts") for _, params in client.calls] == ["5.0", "5.0"]


async def test_an_edit_names_its_message_and_a_file_is_never_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    platform, client = a_platform(monkeypatch, chat_update=lambda _: {})
    await platform.edit(POST, FILE)
    await platform.edit(POST, Message("other"))

    assert [(method, params["ts"], params["text"]) for method, params in client.calls] == [
        ("chat.update", "6.0", "other")
    ]


@pytest.mark.parametrize(
    ("refusal", "error"), [(BAD_TOKEN, TokenRefused), (SlackRefusal("auth.test", "org_login"), SlackRefusal)]
)
async def test_a_token_that_is_refused_is_told_apart_from_other_refusals(
    monkeypatch: pytest.MonkeyPatch, refusal: Exception, error: type[Exception]
) -> None:
    nobody: Any = None
    platform, _ = a_platform(monkeypatch, auth_test=lambda _: refusal)
    with pytest.raises(error):
        await platform.run(nobody, lambda name: None)


async def test_a_platform_has_what_it_is_built_from(monkeypatch: pytest.MonkeyPatch) -> None:
    async def recall() -> list[tuple[str, str]]:
        return []

    given: list[Any] = []
    monkeypatch.setattr(adapter, "SlackClient", lambda *access, **how: given.append((*access, how)))
    needs = PlatformNeeds(ACCESS, 7.0, "", (), no_chats, recall, "", NO_MEMORY)
    platform = build_slack(needs)

    assert given == [("xoxb", "xapp", ACCESS.api_url, {"timeout": 7.0})]
    assert (platform._settings.timeout, platform._chats) == (7.0, no_chats)
    assert platform.lane(POST.address) == "C1:5.0"
    assert await platform.highest_id(POST.address) == 0, "Slack looks a post up by what it bears"


async def test_the_check_tries_both_tokens_and_names_missing_scopes(monkeypatch: pytest.MonkeyPatch) -> None:
    platform, client = a_platform(monkeypatch, auth_test=lambda _: {"user_id": "UBOT", "user": "wakeful"})
    given = frozenset(adapter.SCOPES)
    refusal: Exception | None = None

    async def open_line() -> str:
        if refusal is not None:
            raise refusal
        return "wss://slack.example"

    async def scopes() -> frozenset[str]:
        return given

    monkeypatch.setattr(client, "open_line", open_line, raising=False)
    monkeypatch.setattr(client, "scopes", scopes, raising=False)
    assert await platform.check() == [("slack", "ok", "@wakeful, Socket Mode")]
    given = frozenset()
    assert [state for _, state, _ in await platform.check()] == ["ok"], "Slack does not say"
    given = frozenset(adapter.SCOPES - {"commands", "files:read"})
    ((_, state, words),) = await platform.check()
    assert (state, "commands, files:read" in words) == ("warn", True)
    for code, name in (("missing_scope", True), ("invalid_auth", True), ("internal", False)):
        refusal = SlackRefusal("apps.connections.open", code)
        ((_, state, words),) = await platform.check()
        assert (state, "WAKEFUL_SLACK_APP_TOKEN" in words) == ("fail", name)


async def test_a_close_ends_the_hourglasses_and_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    platform, client = a_platform(monkeypatch)
    closed: list[str] = []

    async def close(name: str) -> None:
        closed.append(name)

    monkeypatch.setattr(platform._hourglass, "close", lambda: close("hourglass"))
    monkeypatch.setattr(client, "close", lambda: close("client"), raising=False)
    await platform.close()

    assert closed == ["hourglass", "client"]


async def test_a_line_begins_with_what_was_left_and_what_was_missed_and_leaves_no_work_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    removed, read = asyncio.Event(), asyncio.Event()
    kept = KeptMemory()
    kept.values["hourglasses"] = [("C9", "1.0")]

    class Client(ScriptedClient):
        async def open_line(self) -> str:
            return "wss://slack.example"

        async def call(self, method: str, **params: Any) -> Any:
            self.calls.append((method, params))
            if method == "reactions.remove":
                removed.set()
            elif method == "conversations.history":
                read.set()
                await asyncio.Event().wait()
            return {"user_id": "UBOT", "user": "wakeful"}

    class BusyLine(Line):
        async def until_renewal(self) -> None:
            await removed.wait()
            await read.wait()
            raise SlackLineEnded("cut")

    async def chats(since: float) -> list[Chat]:
        return [Chat("slack:private:D1", "slack", ChatKind.PRIVATE, "D1", "", "ses", last_message_id="1.0")]

    client: Any = Client({})
    monkeypatch.setattr(adapter, "SlackClient", lambda *given, **how: client)
    monkeypatch.setattr(adapter, "SlackLine", Lines([BusyLine([])]))
    platform = SlackPlatform(SlackSettings(ACCESS), chats, kept.memory)
    nobody: Any = None
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(SlackLineEnded):
            await platform.run(nobody, lambda name: None)
        await platform._hourglass.close()

    assert [params["channel"] for method, params in client.calls if method == "conversations.history"] == ["D1"]
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


async def test_typing_is_an_hourglass_until_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    platform, client = a_platform(monkeypatch, reactions_add=lambda _: {}, reactions_remove=lambda _: {})
    address = Address("slack", "C1", "", Sender("5.0"))
    await platform.show_typing(address)
    await platform.show_typing(address, is_over=True)

    assert [method for method, _ in client.calls] == ["reactions.add", "reactions.remove"]


async def test_a_refused_edit_says_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    platform, _ = a_platform(monkeypatch, chat_update=lambda _: SlackRefusal("chat.update", "msg_too_long"))

    with pytest.raises(NotTaken) as caught:
        await platform.edit(POST, Message("words"))
    assert caught.value.cure is Cure.SHORTER


async def test_a_post_at_the_top_of_a_channel_is_refused_for_a_thread_that_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    platform, _ = a_platform(monkeypatch, chat_postMessage=lambda _: GONE)
    with pytest.raises(Refused):
        await platform.send(replace(POST, address=Address("slack", "C1")), Message("words"))

    assert platform._gone == set()


async def test_a_bot_that_is_known_does_not_log_in_to_look_a_file_up(monkeypatch: pytest.MonkeyPatch) -> None:
    platform, client = a_platform(
        monkeypatch,
        auth_test=lambda _: {"user_id": "UBOT"},
        conversations_replies=lambda _: {"messages": []},
    )
    for _ in range(2):
        assert (await platform.look_up(POST, FILE)).whereabouts is Whereabouts.ABSENT

    assert [method for method, _ in client.calls].count("auth.test") == 1
