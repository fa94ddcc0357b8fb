"""Messages that Slack has kept: their order, their pages, and what was missed of them."""

import asyncio
import time
from typing import Any

import pytest

from tests.patience import PATIENCE, idle
from tests.unit.gateway.platforms.slack.client import ScriptedClient
from wakeful.gateway.messaging.platform import NotTaken
from wakeful.gateway.platforms.slack.catch_up import SlackCatchUp
from wakeful.gateway.platforms.slack.client import SlackRefusal
from wakeful.gateway.platforms.slack.history import SlackHistory, ts_order
from wakeful.gateway.platforms.slack.wire import SlackMessage
from wakeful.model.messaging.chat import Chat, ChatKind, SessionScope, chat_key

DAY = 86_400.0


@pytest.mark.parametrize(
    ("ts", "order"),
    [
        ("12.000300", (12, 300)),
        ("12.3", (12, 300_000)),
        ("12", (12, 0)),
        ("12.x", (12, 0)),
        ("", (0, 0)),
        ("yesterday", (0, 0)),
    ],
)
def test_ids_are_ordered_as_times(ts: str, order: tuple[int, int]) -> None:
    assert ts_order(ts) == order


def paged(*pages: list[str]) -> ScriptedClient:
    """Return a client whose history has these pages."""

    def page(params: dict[str, Any]) -> dict[str, Any]:
        number = int(params.get("cursor") or 0)
        after = {"next_cursor": str(number + 1) if number + 1 < len(pages) else ""}
        return {"messages": [{"ts": ts} for ts in pages[number]], "response_metadata": after}

    return ScriptedClient({"conversations.history": page, "conversations.replies": page})


async def read(client: Any, after: str = "1.0", most: int = 200, thread_id: str = "") -> list[str]:
    return [message.ts for message in await SlackHistory(client).read("C1", thread_id, after, most)]


async def test_all_pages_are_read_in_order_without_what_is_known() -> None:
    client = paged(["9.0", "10.0"], ["2.0", "1.0", "0.5"])

    assert await read(client) == ["2.0", "9.0", "10.0"]
    assert [params.get("cursor") for _, params in client.calls] == [None, "1"]
    assert client.calls[0] == ("conversations.history", {"channel": "C1", "oldest": "1.0", "limit": 200})


async def test_no_more_is_asked_for_than_is_wanted_and_the_newest_are_kept() -> None:
    client = paged(["5.0", "4.0"], ["3.0", "2.0"], ["1.5"])

    assert await read(client, most=3) == ["3.0", "4.0", "5.0"]
    assert [params["limit"] for _, params in client.calls] == [3, 3]


async def test_nothing_is_asked_for_once_there_is_enough() -> None:
    client = paged(["5.0", "4.0"], ["3.0"])

    assert await read(client, most=2) == ["4.0", "5.0"]
    assert len(client.calls) == 1


async def test_a_page_is_as_large_as_slack_advises() -> None:
    client = paged(["5.0"])
    await read(client, most=1000)

    assert client.calls[0][1]["limit"] == 200


async def test_of_a_thread_the_replies_are_read() -> None:
    client = paged(["1.0", "2.0"])

    assert await read(client, thread_id="1.0") == ["2.0"]
    assert client.calls[0][0] == "conversations.replies"
    assert client.calls[0][1]["ts"] == "1.0"


def ago(seconds: float) -> str:
    return f"{time.time() - seconds:.6f}"


def a_chat(thread_id: str, last: str, *, channel: str = "C1", silent: float = 0.0, wide: bool = False) -> Chat:
    kind = ChatKind.PRIVATE if channel.startswith("D") else ChatKind.GROUP
    scope = SessionScope.CHAT if wide else SessionScope.THREAD
    key = chat_key("slack", kind, channel, thread_id, "U1", scope)
    at = time.time() - silent
    return Chat(key, "slack", kind, channel, thread_id, "ses", last_message_id=last, last_at=at)


class Kept:
    """A history of some messages, that keeps what was read of it."""

    def __init__(self, *messages: SlackMessage) -> None:
        self.messages = messages
        # The thread, and after which id.
        self.reads: list[tuple[str, str]] = []
        self.troubles: list[Exception] = []

    async def read(self, channel: str, thread_id: str, after: str, most: int) -> list[SlackMessage]:
        self.reads.append((thread_id, after))
        assert most == 200
        if self.troubles:
            raise self.troubles.pop()
        shown = [
            one for one in self.messages if (not thread_id and not one.thread_ts) or one.thread_ts == thread_id != ""
        ]
        return [one for one in shown if ts_order(one.ts) > ts_order(after)]


async def missed(kept: Any, *chats: Chat, channel: str = "C1") -> list[SlackMessage]:
    async def known(since: float) -> list[Chat]:
        assert since == pytest.approx(time.time() - 90 * DAY, abs=60)
        return list(chats)

    catch_up = SlackCatchUp(kept, known, retry_seconds=0.0)
    async with asyncio.timeout(PATIENCE):
        await catch_up.load()
        assert channel in catch_up.channels
        found = await catch_up.missed(channel)
        assert (channel in catch_up.channels, await catch_up.missed(channel)) == (False, [])
    return found


async def test_channels_are_read_where_people_wrote_last_first() -> None:
    chats = [a_chat("", "1.0", channel=f"D{silent}", silent=silent) for silent in (5.0, 1.0, 9.0)]

    async def known(since: float) -> list[Chat]:
        return chats

    catch_up = SlackCatchUp(Kept(), known, retry_seconds=0.0)  # type: ignore[arg-type]
    await catch_up.load()

    assert catch_up.channels == ["D1.0", "D5.0", "D9.0"]


@pytest.mark.parametrize(("channel", "kind"), [("D1", "im"), ("C1", "channel")])
async def test_what_came_after_the_last_message_of_a_chat_was_missed(channel: str, kind: str) -> None:
    old, last, new = (SlackMessage(ts=ago(seconds)) for seconds in (300, 200, 100))
    kept = Kept(old, last, new)

    found = await missed(kept, a_chat("", last.ts, channel=channel, wide=True), channel=channel)

    assert [(one.ts, one.channel, one.channel_type) for one in found] == [(new.ts, channel, kind)]


async def test_of_a_thread_with_a_session_what_came_in_it_and_beside_it_was_missed() -> None:
    thread, last = ago(500), ago(200)
    reply = SlackMessage(ts=ago(100), thread_ts=thread)
    read, other = SlackMessage(ts=ago(300), thread_ts=thread), SlackMessage(ts=ago(50))
    kept = Kept(read, reply, other)

    found = await missed(kept, a_chat(thread, last))

    assert {one.ts for one in found} == {reply.ts, other.ts}
    assert kept.reads == [("", last), (thread, last)]


async def test_no_more_than_a_day_is_read_and_threads_are_left_after_a_week() -> None:
    fresh, stale = ago(3 * DAY), ago(9 * DAY)
    kept = Kept()

    await missed(kept, a_chat(fresh, ago(2 * DAY), silent=2 * DAY), a_chat(stale, ago(8 * DAY), silent=8 * DAY))

    assert [thread for thread, _ in kept.reads] == ["", fresh]
    assert all(float(after) == pytest.approx(time.time() - DAY, abs=60) for _, after in kept.reads)


async def test_a_session_of_a_whole_channel_reads_the_threads_that_have_grown() -> None:
    last = ago(200)
    grown = SlackMessage(ts=ago(500), latest_reply=ago(100))
    silent = SlackMessage(ts=ago(400), latest_reply=ago(300))
    reply = SlackMessage(ts=grown.latest_reply, thread_ts=grown.ts)
    kept = Kept(grown, silent, reply)

    found = await missed(kept, a_chat("", last, wide=True))

    assert [one.ts for one in found] == [reply.ts]
    assert kept.reads[1:] == [(grown.ts, last)]


async def test_a_chat_that_slack_refuses_is_left_and_one_that_it_limits_is_asked_for_again() -> None:
    new = SlackMessage(ts=ago(100))
    refused, limited = Kept(new), Kept(new)
    refused.troubles = [SlackRefusal("conversations.history", "not_in_channel")]
    limited.troubles = [NotTaken("Slow down.")]

    assert await missed(refused, a_chat("", ago(200), wide=True)) == []
    assert [one.ts for one in await missed(limited, a_chat("", ago(200), wide=True))] == [new.ts]


async def test_four_channels_are_read_at_a_time() -> None:
    gate, under_way, most = asyncio.Event(), 0, 0
    changed = asyncio.Event()

    class Slow:
        async def read(self, channel: str, thread_id: str, after: str, most_wanted: int) -> list[SlackMessage]:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            changed.set()
            await gate.wait()
            under_way -= 1
            return []

    async def chats(since: float) -> list[Chat]:
        return [Chat(f"slack:private:D{n}", "slack", ChatKind.PRIVATE, f"D{n}", "", "ses", last_at=n) for n in range(6)]

    history: Any = Slow()
    catch_up = SlackCatchUp(history, chats, retry_seconds=0.001)
    await catch_up.load()
    reading = [asyncio.create_task(catch_up.missed(channel)) for channel in catch_up.channels]
    async with asyncio.timeout(PATIENCE):
        while under_way < 4:
            changed.clear()
            await changed.wait()
        await idle()
        gate.set()
        await asyncio.gather(*reading)

    assert most == 4


@pytest.mark.parametrize(
    ("of_channel", "of_thread", "in_thread"),
    [(200, 100, False), (100, 180, True)],
    ids=["at the top since the channel's", "in the thread since the thread's"],
)
async def test_where_a_channel_and_a_thread_have_sessions_each_counts_from_its_own_last_message(
    of_channel: float, of_thread: float, in_thread: bool
) -> None:
    thread = ago(500)
    new = SlackMessage(ts=ago(150), thread_ts=thread if in_thread else "")
    kept = Kept(new)

    found = await missed(kept, a_chat("", ago(of_channel), wide=True), a_chat(thread, ago(of_thread)))

    assert [one.ts for one in found] == [new.ts]


async def test_the_newest_message_of_all_sessions_of_a_channel_counts_at_its_top() -> None:
    known = SlackMessage(ts=ago(150))
    first, second = a_chat("", ago(200), wide=True), a_chat(ago(500), ago(100), wide=True)

    assert await missed(Kept(known), first, second) == []


async def test_a_thread_that_is_known_is_read_from_its_own_last_message_on() -> None:
    thread, last = ago(500), ago(180)
    begun = SlackMessage(ts=thread, latest_reply=ago(50))
    kept = Kept(begun)

    await missed(kept, a_chat("", ago(100), wide=True), a_chat(thread, last))

    assert kept.reads[1:] == [(thread, last)]


async def test_a_thread_whose_last_reply_is_known_is_not_read() -> None:
    last = ago(200)
    kept = Kept(SlackMessage(ts=ago(500), latest_reply=last))

    await missed(kept, a_chat("", last, wide=True))

    assert [thread for thread, _ in kept.reads] == [""]


async def test_a_reply_that_shows_in_the_channel_too_was_missed_once() -> None:
    thread = ago(500)
    reply = SlackMessage(ts=ago(100), thread_ts=thread, subtype="thread_broadcast")

    class Everywhere(Kept):
        async def read(self, channel: str, thread_id: str, after: str, most: int) -> list[SlackMessage]:
            return [reply]

    found = await missed(Everywhere(), a_chat(thread, ago(200)))

    assert [one.ts for one in found] == [reply.ts]
