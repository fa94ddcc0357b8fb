"""Wake-ups on a platform: in the chat and thread of the work that ended, as a reply to the message that started it."""

from pathlib import Path

import pytest

from tests.messaging.kit import chatting
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.gateway.messaging.outbox.lines import waiting_text
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


async def test_a_spent_wake_budget_is_said_once_until_a_person_writes(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path, wake_budget=1) as chat:
        await chat.write("build it", "5")
        first = await chat.turn()
        for name in ("one", "two", "three", "four"):
            await chat.spawn(first, name)
        chat.agent.order(first, "say Building")
        await chat.shows("Building")
        await chat.end("one")
        chat.agent.order(await chat.turn(2), "say One is ready")
        woken = "⏰ run one (exit code 0)\n\nOne is ready"
        await chat.shows("Building", woken)
        await chat.end("two")
        await chat.shows("Building", woken, waiting_text(1))
        # The budget frees and is spent again.
        session_id = chat.agent.briefs[first].turn.session_id
        await store.write(lambda tx: tx.sessions.wake_later(session_id, None), lock=[session_id])
        await chat.end("three")
        await chat.shows("Building", woken, waiting_text(2))
        await chat.write("go on", "6")
        chat.agent.order(await chat.turn(3), "say All ready")
        lines = "⏰ run two (exit code 0)\n⏰ run three (exit code 0)"
        await chat.shows("Building", woken, waiting_text(2), f"{lines}\n\nAll ready")
        await chat.end("four")
        await chat.shows("Building", woken, waiting_text(2), f"{lines}\n\nAll ready", waiting_text(1))
