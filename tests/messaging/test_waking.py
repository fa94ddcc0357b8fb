"""Wake-ups on a platform: in the chat and thread of the work that ended, as a reply to the message that started it."""

from pathlib import Path

import pytest

from tests.messaging.kit import chatting
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.messaging.chat import ChatKind
from wakeful.store.base import Store


async def test_a_wake_up_replies_to_the_message_that_started_the_work(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("build it", "5")
        first = await chat.turn()
        await chat.spawn(first, "build")
        chat.agent.order(first, "say Building")
        await chat.shows("Building")
        await chat.end("build", 2)
        chat.agent.order(await chat.turn(2), "say It is broken")
        await chat.shows("Building", "⏰ run build (exit code 2)\n\nIt is broken")

    assert [message.reply_to for _, _, message in chat.platform.requests] == ["", "5"]


async def test_it_finds_its_thread_after_other_talk_a_new_conversation_and_a_restart(
    store: Store, tmp_path: Path
) -> None:
    platform = ScriptedPlatform()
    in_a = {"kind": ChatKind.GROUP, "chat_id": "-1", "thread_id": "a", "is_for_bot": True}
    in_b = in_a | {"thread_id": "b"}
    async with chatting(store, tmp_path, platform) as chat:
        await chat.write("build it", "5", **in_a)
        first = await chat.turn()
        await chat.spawn(first, "build")
        chat.agent.order(first, "say Building")
        await chat.shows("Building", chat_id="-1", thread_id="a")
        await chat.write("hello", "6", **in_b)
        chat.agent.order(await chat.turn(2), "say Hi")
        await chat.shows("Hi", chat_id="-1", thread_id="b")
        await chat.write("/new", "7", **in_a)
        await chat.shows("Building", "New conversation.", chat_id="-1", thread_id="a")
    async with chatting(store, tmp_path, platform) as chat:
        await chat.end("build")
        woken = await chat.turn()
        chat.agent.order(woken, "say Ready")
        await chat.shows(
            "Building", "New conversation.", "⏰ run build (exit code 0)\n\nReady", chat_id="-1", thread_id="a"
        )

    assert platform.texts("-1", "b") == ["Hi"]
    assert platform.requests[-1][2].reply_to == "5"
    brief = chat.agent.briefs[woken]
    assert brief.turn.address.sender.message_id == "5", "what this turn spawns is answered there too"


async def test_a_wake_up_is_posted_whole_when_it_ends(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("build it", "5")
        first = await chat.turn()
        await chat.spawn(first, "build")
        chat.agent.order(first, "say Building")
        await chat.shows("Building")
        await chat.end("build")
        woken = await chat.turn(2)
        chat.agent.order(woken, "token", "token", "step", "say All done")
        await chat.shows("Building", "⏰ run build (exit code 0)\n\nworking", "All done")

    assert [kind for kind, _, _ in chat.platform.requests] == ["send"] * 3


async def test_a_wake_up_that_fails_says_what_ended_and_why_it_failed(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("build it", "5")
        first = await chat.turn()
        await chat.spawn(first, "build")
        chat.agent.order(first, "say Building")
        await chat.shows("Building")
        await chat.end("build")
        chat.agent.order(await chat.turn(2), "refuse")
        await chat.shows("Building", "⏰ run build (exit code 0)\n\nThe model could not answer: The key is wrong.")


@pytest.mark.parametrize("joins", [True, False])
async def test_a_notice_that_comes_along_has_its_line_before_the_words_of_that_step(
    store: Store, tmp_path: Path, joins: bool
) -> None:
    async with chatting(store, tmp_path) as chat:
        await chat.write("build it", "5")
        first = await chat.turn()
        await chat.spawn(first, "build")
        if joins:
            await chat.end("build")
            chat.agent.order(first, "step", "say Ready")
            await chat.shows("working", "• work:", "⏰ run build (exit code 0)\n\nReady")
        else:
            chat.agent.order(first, "say Building")
            await chat.shows("Building")
            await chat.engine.cancel(chat.agent.briefs[first].turn.session_id)
            await chat.end("build")
            chat.agent.order(await chat.turn(2), "say Ready")
            await chat.shows("Building", "⏰ run build (exit code 0)\n\nReady")


async def test_a_day_that_has_cost_enough_is_remarked_once_and_a_message_goes_on(store: Store, tmp_path: Path) -> None:
    waits = "2 things wait: today's budget is spent. Write to me to go on."
    async with chatting(store, tmp_path, daily_spend_usd=1.0) as chat:
        await chat.write("build it", "5")
        first = await chat.turn()
        for name in ("build", "lint"):
            await chat.spawn(first, name)
            await chat.end(name)
        costly = Answered(1, AssistantMessage("Building"), Usage(10, 10), cost_usd=1.0)
        chat.agent.tell(first, costly)
        chat.agent.order(first, "end")
        await chat.shows("Building", waits)
        await chat.write("go on", "6")
        chat.agent.order(await chat.turn(2), "say Both are ready")
        await chat.shows("Building", waits, "⏰ run build (exit code 0)\n⏰ run lint (exit code 0)\n\nBoth are ready")
