"""Slack's adapter at a real door: an engine, a store, and a server that speaks Slack's protocol."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from tests.messaging.kit import Chatting, chatting
from tests.platforms.slack_kit import settings_for
from tests.platforms.slack_server import ANN, BOT, SlackServer, Trouble
from wakeful.gateway.platforms.slack.adapter import SlackPlatform
from wakeful.model.messaging.chat import Chat
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore


async def test_a_thread_goes_on_over_lost_answers_and_a_stop(sqlite_path: Path, tmp_path: Path) -> None:
    store = SqliteStore(sqlite_path, time.time, synchronous="OFF")
    await store.open()
    async with SlackServer() as slack:
        async with a_door(slack, store, tmp_path) as chat:
            root = await slack.write("C1", f"<@{BOT}> hello")
            slack.troubles["chat.postMessage"] = [Trouble.CUT_AFTER, Trouble.LIMITED]
            slack.retry_after = 0
            chat.agent.order(await chat.turn(), "say Hi &")
            await slack.until(lambda: said(slack) == [("Hi &amp;", root)] and not slack.reactions["C1", root])
            await slack.write("C1", "and without a mention", thread_ts=root)
            chat.agent.order(await chat.turn(2), "say Yes")
            await slack.until(lambda: said(slack) == [("Hi &amp;", root), ("Yes", root)])
        await slack.write("C1", "while it was down", thread_ts=root)
        async with a_door(slack, store, tmp_path) as chat:
            chat.agent.order(await chat.turn(), "say I am back")
            await slack.until(lambda: said(slack)[2:] == [("I am back", root)])
            assert len(chat.agent.briefs) == 1
    await store.close()


@asynccontextmanager
async def a_door(slack: SlackServer, store: Store, workspace: Path) -> AsyncIterator[Chatting]:
    async def chats(since: float) -> list[Chat]:
        return await store.read(lambda tx: tx.chats.of_platform("slack", since))

    platform = SlackPlatform(settings_for(slack), chats)
    async with chatting(store, workspace, cast(Any, platform), allow=frozenset({ANN})) as chat:
        await slack.until(lambda: slack.lines)
        yield chat
    await slack.until(lambda: not slack.lines)


def said(slack: SlackServer) -> list[tuple[str, str]]:
    return [(message["text"], message["thread_ts"]) for message in slack.channels["C1"].said]
