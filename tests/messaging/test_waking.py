"""Wake-ups on a platform: in the chat and thread of the work that ended, as a reply to the message that started it."""

from pathlib import Path

import pytest

from tests.messaging.kit import chatting
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.gateway.messaging.outbox.lines import waiting_text
from wakeful.gateway.messaging.platform import Refused
from wakeful.model.inbox import RowKind
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.messaging.post import PostState
from wakeful.model.session import WakeReason
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


async def test_a_wake_up_that_is_tried_again_says_why_once_and_then_only_its_answer(
    store: Store, tmp_path: Path
) -> None:
    async with chatting(store, tmp_path, engine_changes={"wake_retry_seconds": 0.01}) as chat:
        await chat.write("build it", "5")
        first = await chat.turn()
        await chat.spawn(first, "build")
        chat.agent.order(first, "say Building")
        await chat.shows("Building")
        await chat.end("build")
        for number in (2, 3):
            chat.agent.order(await chat.turn(number), "fail")
        chat.agent.order(await chat.turn(4), "say It is ready")
        failed = "⏰ run build (exit code 0)\n\nThe model could not answer: The endpoint is down."
        await chat.shows("Building", failed, "It is ready")

    assert [message.reply_to for _, _, message in chat.platform.requests] == ["", "5", "5"]


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
    async with chatting(store, tmp_path, engine_changes={"wake_budget_per_hour": 1}) as chat:
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
        await chat.shows("Building", woken, waiting_text(1, WakeReason.BUDGET))
        # The budget frees and is spent again.
        session_id = chat.agent.briefs[first].turn.session_id
        await store.write(lambda tx: tx.sessions.wake_later(session_id, None), lock=[session_id])
        await chat.end("three")
        await chat.shows("Building", woken, waiting_text(2, WakeReason.BUDGET))
        await chat.write("go on", "6")
        chat.agent.order(await chat.turn(3), "say All ready")
        lines = "⏰ run two (exit code 0)\n⏰ run three (exit code 0)"
        await chat.shows("Building", woken, waiting_text(2, WakeReason.BUDGET), f"{lines}\n\nAll ready")
        await chat.end("four")
        await chat.shows(
            "Building",
            woken,
            waiting_text(2, WakeReason.BUDGET),
            f"{lines}\n\nAll ready",
            waiting_text(1, WakeReason.BUDGET),
        )


async def test_several_in_one_turn_reply_to_the_message_of_the_oldest_work(store: Store, tmp_path: Path) -> None:
    async with chatting(store, tmp_path) as chat:
        said = []
        for number, name in enumerate(("one", "two"), start=1):
            await chat.write(f"build {name}", str(number))
            turn_id = await chat.turn(number)
            await chat.spawn(turn_id, name)
            chat.agent.order(turn_id, f"say Building {name}")
            said.append(f"Building {name}")
            await chat.shows(*said)
        await chat.write("busy", "3")
        busy = await chat.turn(3)
        await chat.end("one")
        await chat.end("two")
        chat.agent.order(busy, "say Done")
        chat.agent.order(await chat.turn(4), "say Both are ready")
        lines = "⏰ run one (exit code 0)\n⏰ run two (exit code 0)"
        await chat.shows(*said, "Done", f"{lines}\n\nBoth are ready")

    assert chat.platform.requests[-1][2].reply_to == "1"


async def test_a_bot_that_is_kicked_out_in_mid_turn_goes_on_and_is_woken_all_the_same(
    store: Store, tmp_path: Path
) -> None:
    platform = ScriptedPlatform()
    async with chatting(store, tmp_path, platform) as chat:
        await chat.write("build it", "5", kind=ChatKind.GROUP, chat_id="-1", is_for_bot=True)
        first = await chat.turn()
        await chat.spawn(first, "build")
        platform.troubles["-1"] = [Refused("The bot was kicked out.") for _ in range(9)]
        chat.agent.order(first, "say Building")
        await chat.end("build")
        chat.agent.order(await chat.turn(2), "say Ready")
        await platform.until(lambda: len(platform.troubles["-1"]) == 7)
        await chat.write("and here?", "1")
        chat.agent.order(await chat.turn(3), "say Here all is well")
        await chat.shows("Here all is well")
        session_id = chat.agent.briefs[first].turn.session_id
        posts = await store.read(lambda tx: tx.posts.page(session_id=session_id, limit=9))

    assert [(post.state, post.error) for post in posts] == [(PostState.REFUSED, "The bot was kicked out.")] * 2
    assert posts[0].wanted == "⏰ run build (exit code 0)\n\nReady"


async def test_a_door_that_is_not_configured_any_more_keeps_its_notices(store: Store, tmp_path: Path) -> None:
    platform = ScriptedPlatform()
    async with chatting(store, tmp_path, platform) as chat:
        await chat.write("build it", "5")
        first = await chat.turn()
        await chat.spawn(first, "build")
        chat.agent.order(first, "say Building")
        await chat.shows("Building")
    session_id = chat.agent.briefs[first].turn.session_id
    closed = {"closed_platforms": frozenset({"telegram"})}
    async with chatting(store, tmp_path, ScriptedPlatform("slack"), engine_changes=closed) as other:
        await other.end("build")
        await other.write("hello", "1", platform="slack", chat_id="D1")
        other.agent.order(await other.turn(), "say Hi")
        await other.shows("Hi", chat_id="D1")
        waiting = await store.read(lambda tx: tx.inbox.pending(session_id))
        assert [row.kind for row in waiting] == [RowKind.NOTICE]
        assert len(other.agent.briefs) == 1
    async with chatting(store, tmp_path, platform) as chat:
        woken = await chat.turn()
        chat.agent.order(woken, "say Ready")
        await chat.shows("Building", "⏰ run build (exit code 0)\n\nReady")


async def test_a_day_that_has_cost_enough_is_remarked_once_and_a_message_goes_on(store: Store, tmp_path: Path) -> None:
    waits = "2 things wait: today's budget is spent. Write to me to go on."
    async with chatting(store, tmp_path, engine_changes={"daily_spend_usd": 1.0}) as chat:
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
