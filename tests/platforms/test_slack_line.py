"""Slack's adapter against a server that speaks Slack's protocol: its line, and what was missed without one."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.platforms.slack_kit import RecordingIngress, a_chat, a_platform, receiving
from tests.platforms.slack_server import APP_TOKEN, BOT, BOT_TOKEN, SlackServer, Trouble
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import NotTaken, TokenRefused
from wakeful.gateway.platforms.slack.adapter import SCOPES
from wakeful.gateway.platforms.slack.client import SlackClient
from wakeful.gateway.platforms.slack.history import SlackHistory
from wakeful.model.messaging.chat import ChatKind, SessionScope


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


@pytest.fixture
def ingress() -> RecordingIngress:
    return RecordingIngress()


async def test_what_was_missed_is_read_before_what_is_new(slack: SlackServer, ingress: RecordingIngress) -> None:
    seen = await slack.write("D1", "seen")
    root = await slack.write("C1", "root")
    await slack.write("C1", "seen there", thread_ts=root)
    known = [a_chat("D1", "", seen), a_chat("C1", root, slack.next_ts())]
    await slack.write("D1", "missed")
    await slack.write("C1", "missed there", thread_ts=root)
    await slack.write("C1", f"<@{BOT}> missed at the top")
    await slack.write("C1", "of a bot", thread_ts=root, bot_id="B7")
    slack.troubles["conversations.history"] = [Trouble.SLOW, Trouble.SLOW]
    async with receiving(slack, ingress, *known):
        await slack.write("D1", "new")
        await slack.write("C1", "new there", thread_ts=root)
        await slack.write("D2", "not held up")
        assert await ingress.texts(1) == ["not held up"]
        slack.gate.set()
        await ingress.texts(6)
        await slack.until(lambda: not slack.unacknowledged)

    by_chat = {chat: [one.text for one in ingress.messages if one.address.chat_id == chat] for chat in ("D1", "C1")}
    assert by_chat == {"D1": ["missed", "new"], "C1": ["missed there", "missed at the top", "new there"]}
    assert [one.kind for one in ingress.messages if one.address.chat_id == "D1"] == [ChatKind.PRIVATE] * 2


async def test_a_session_of_a_whole_channel_reads_its_threads_too(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    old = await slack.write("C1", "older than what is read at the top", ts=f"{time.time() - 90_000:.6f}")
    unheard = await slack.write("C1", "root of a thread that the session has not heard of")
    seen_there = await slack.write("C1", "seen in a thread", thread_ts=old)
    await slack.write("C1", "missed in a thread", thread_ts=old)
    seen = await slack.write("C1", "seen")
    await slack.write("C1", "missed in another thread", thread_ts=unheard)
    await slack.write("C1", "missed")
    known = [a_chat("C1", thread, last, scope=SessionScope.CHAT) for thread, last in ((seen, seen), (old, seen_there))]
    async with receiving(slack, ingress, *known):
        assert await ingress.texts(3) == ["missed in a thread", "missed in another thread", "missed"]

    assert [one.address.thread_id for one in ingress.messages[:2]] == [old, unheard]


async def test_of_a_long_absence_a_day_and_two_hundred_messages_are_read(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    now = time.time()
    await slack.write("D1", "too old", ts=f"{now - 90_000:.6f}")
    for number in range(230):
        await slack.write("D1", f"message {number}")
    async with receiving(slack, ingress, a_chat("D1", "", "")):
        await ingress.texts(200)
        await slack.write("D1", "new")
        texts = await ingress.texts(201)

    assert texts == [*(f"message {number}" for number in range(30, 230)), "new"]


async def test_the_history_is_read_in_its_order_and_the_newest_where_there_is_too_much(slack: SlackServer) -> None:
    written = [await slack.write("D1", f"message {number}") for number in range(5)]
    client = SlackClient(BOT_TOKEN, APP_TOKEN, f"{slack.root}/api/", timeout=PATIENCE)
    found = await SlackHistory(client).read("D1", "", written[0], 3)
    await client.close()

    assert [message.ts for message in found] == written[2:]


async def test_missed_messages_are_read_after_a_limit_and_not_where_the_bot_is_out(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    slack.retry_after = 0
    seen = await slack.write("D1", "seen")
    await slack.write("D1", "missed")
    slack.troubles["conversations.history"] = [Trouble.LIMITED, Trouble.BROKEN, Trouble.CUT_BEFORE]
    async with receiving(slack, ingress, a_chat("D1", "", seen), a_chat("CGONE", "1.1", seen)):
        assert await ingress.texts(1) == ["missed"]
        slack.channel("CGONE")
        await slack.write("CGONE", "here again")
        assert await ingress.texts(2) == ["missed", "here again"]


async def test_slack_may_renew_the_line(slack: SlackServer, ingress: RecordingIngress) -> None:
    ingress.held = ["D1"]
    async with receiving(slack, ingress) as line:
        first = slack.lines[0]
        await slack.write("D1", "on the old line")
        await ingress.until(lambda: ingress.tries == 1)
        await slack.disconnect("refresh_requested")
        await slack.until(lambda: slack.lines and first not in slack.lines)
        ingress.gate.set()
        await slack.write("D2", "on the new line")
        assert sorted(await ingress.texts(2)) == ["on the new line", "on the old line"]

        # The old line could not carry the acknowledgement: Slack sends it again, and nothing is lost.
        await slack.send_again()
        await slack.until(lambda: not slack.unacknowledged)
        assert line.names == ["wakeful", "wakeful"]


@pytest.mark.parametrize(
    ("end", "words"), [("cut", "cut"), ("link_disabled", "turn it on"), ("too_many_websockets", "too_many")]
)
async def test_any_other_end_of_the_line_is_said(
    slack: SlackServer, ingress: RecordingIngress, end: str, words: str
) -> None:
    async with receiving(slack, ingress) as line:
        await (slack.cut() if end == "cut" else slack.disconnect(end))
        with pytest.raises(WakefulError, match=words):
            await asyncio.wait_for(line.running, PATIENCE)


@pytest.mark.parametrize(
    ("changes", "name"),
    [({"token": "x"}, "WAKEFUL_SLACK_BOT_TOKEN"), ({"app_token": "x"}, "WAKEFUL_SLACK_APP_TOKEN")],
)
async def test_a_token_that_slack_refuses_is_named(
    slack: SlackServer, ingress: RecordingIngress, changes: dict[str, Any], name: str
) -> None:
    async with receiving(slack, ingress, **changes) as line:
        with pytest.raises(TokenRefused, match=name):
            await line.running

    platform = a_platform(slack, **changes)
    ((_, state, sentence),) = await platform.check()
    await platform.close()
    assert (state, name in sentence) == ("fail", True)


async def test_a_proxy_is_not_asked_for_hosts_that_the_environment_excludes(
    slack: SlackServer, ingress: RecordingIngress, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_tcp_port}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    async with receiving(slack, ingress):
        await slack.write("D1", "hello")
        assert await ingress.texts(1) == ["hello"]


async def test_the_doctor_tries_both_tokens_and_names_missing_scopes(slack: SlackServer) -> None:
    platform = a_platform(slack)
    scopes = sorted(SCOPES)

    slack.scopes = ",".join(scopes)
    assert await platform.check() == [("slack", "ok", "@wakeful, Socket Mode")]
    assert {method for method, _ in slack.requests} == {"auth.test", "apps.connections.open"}
    slack.scopes = ",".join(scopes[:-1])
    ((_, state, sentence),) = await platform.check()
    await platform.close()

    assert state == "warn"
    assert f"the scopes {scopes[-1]}," in sentence


def test_the_manifest_in_the_documentation_asks_for_all_scopes() -> None:
    text = (Path(__file__).parents[2] / "docs" / "slack.md").read_text(encoding="utf-8")
    manifest = text.partition("```yaml\n")[2].partition("```")[0]
    asked = manifest.partition("bot:\n")[2].partition("settings:")[0].replace("-", "").split()

    assert set(asked) == SCOPES


async def test_a_line_that_cannot_be_opened_is_no_refusal_of_the_token(
    slack: SlackServer, ingress: RecordingIngress
) -> None:
    slack.troubles["auth.test"] = [Trouble.LIMITED]
    async with receiving(slack, ingress) as line:
        with pytest.raises(NotTaken):
            await line.running


async def test_no_secret_reaches_the_log(
    slack: SlackServer, ingress: RecordingIngress, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    slack.troubles["users.info"] = [Trouble.BROKEN, Trouble.CUT_BEFORE]
    ingress.failures = 1
    said = ""
    async with receiving(slack, ingress) as line:
        await slack.write("D1", "hello")
        await slack.write("D1", "again")
        await ingress.texts(2)
        await slack.cut()
        with pytest.raises(WakefulError) as raised:
            await asyncio.wait_for(line.running, PATIENCE)
        said += f"{raised.value!r} {line.platform._settings!r}"
    # The server on loopback logs what it is asked.
    records = [record for record in caplog.records if record.name != "aiohttp.access"]
    said += "\n".join(record.getMessage() + (record.exc_text or "") for record in records)

    assert "was not taken in" in said
    assert not [secret for secret in (BOT_TOKEN, APP_TOKEN, "ticket") if secret in said]
