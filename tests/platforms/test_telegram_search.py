"""Telegram, searching: what became of a message whose send went unanswered, found out without anybody seeing it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from tests.platforms.recording_ingress import RecordingIngress
from tests.platforms.telegram_kit import a_post, open_platform, receiving
from tests.platforms.telegram_server import BOT, TelegramServer, Trouble
from wakeful.engine.clock import SystemClock
from wakeful.engine.supervisor import Supervisor
from wakeful.gateway.messaging.outbox.manner import Manner
from wakeful.gateway.messaging.outbox.postman import Postman
from wakeful.gateway.messaging.platform import (
    Button,
    LookedUp,
    Message,
    NotTaken,
    Unanswered,
    Whereabouts,
)
from wakeful.gateway.messaging.text.forms import FORMS
from wakeful.gateway.platforms.telegram.adapter import TelegramPlatform
from wakeful.model.messaging.post import Post, PostState
from wakeful.model.session import Address
from wakeful.store.base import Store, Transaction

GROUP = -42
FORUM = -1_000_000_000_777
QUICK = Manner(FORMS["telegram"], send_timeout=30.0, settle_seconds=0.01, edit_seconds=1.5)
HELLO = Message("<b>Hello</b> &amp; welcome")


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        server.chat(7)
        server.chat(8)
        server.chat(GROUP)
        server.chat(FORUM, topics={5, 6})
        yield server


@pytest.fixture
async def platform(server: TelegramServer) -> AsyncIterator[TelegramPlatform]:
    async with open_platform(server) as platform:
        yield platform


async def lose(
    server: TelegramServer, platform: TelegramPlatform, post: Post, trouble: Trouble, message: Message = HELLO
) -> Post:
    """Send without an answer, and return the post as it is kept."""
    post = replace(post, highest_id=await platform.highest_id(post.address))
    server.troubles["sendMessage"] = [trouble]
    with pytest.raises(Unanswered):
        await platform.send(post, message)
    return post


@pytest.mark.parametrize("chat_id", [7, GROUP, FORUM])
async def test_a_lost_message_that_arrived_is_found(
    server: TelegramServer, platform: TelegramPlatform, chat_id: int
) -> None:
    await platform.send(a_post(chat_id), Message("the one before"))
    post = await lose(server, platform, a_post(chat_id), Trouble.CUT_AFTER)
    [arrived] = [number for number, each in server.chat(chat_id).messages.items() if each["text"] != "the one before"]

    assert await platform.look_up(post, HELLO) == LookedUp(Whereabouts.FOUND, str(arrived))


@pytest.mark.parametrize("chat_id", [7, GROUP, FORUM])
async def test_a_lost_message_that_did_not_arrive_is_absent(
    server: TelegramServer, platform: TelegramPlatform, chat_id: int
) -> None:
    await platform.send(a_post(chat_id), Message("the one before"))
    post = await lose(server, platform, a_post(chat_id), Trouble.CUT_BEFORE)

    assert (await platform.look_up(post, HELLO)).whereabouts is Whereabouts.ABSENT
    assert len(server.called("editMessageReplyMarkup")) == 10
    assert server.chat(chat_id).said == ["the one before"]


async def test_a_lost_message_is_told_from_those_of_people_and_other_chats(
    server: TelegramServer, platform: TelegramPlatform
) -> None:
    await platform.send(a_post(7), Message("the one before"))
    post = replace(a_post(7), highest_id=await platform.highest_id(Address("telegram", "7")))
    await server.write(7, "a person's")
    await platform.send(a_post(8), Message("of another chat"))
    server.troubles["sendMessage"] = [Trouble.CUT_AFTER]
    with pytest.raises(Unanswered):
        await platform.send(post, HELLO)
    arrived = max(server.chat(7).messages)
    await platform.send(a_post(8), Message("of another chat"))

    assert await platform.look_up(post, HELLO) == LookedUp(Whereabouts.FOUND, str(arrived))


async def test_a_message_with_buttons_keeps_them_while_it_is_looked_for(
    server: TelegramServer, platform: TelegramPlatform
) -> None:
    question = Message("May I?", buttons=[Button("Once", "post_1:once")])
    await platform.send(a_post(7), HELLO)
    post = await lose(server, platform, a_post(7), Trouble.CUT_AFTER, question)

    found = await platform.look_up(post, question)

    assert found.whereabouts is Whereabouts.FOUND
    assert server.chat(7).messages[int(found.message_id)]["reply_markup"] is not None


async def test_two_lost_messages_are_not_the_same(server: TelegramServer, platform: TelegramPlatform) -> None:
    await platform.send(a_post(FORUM, thread=5), HELLO)
    first = await lose(server, platform, a_post(FORUM, thread=5), Trouble.CUT_AFTER)
    second = await lose(server, platform, a_post(FORUM, thread=6), Trouble.CUT_BEFORE)

    assert (await platform.look_up(first, HELLO)).whereabouts is Whereabouts.FOUND
    assert (await platform.look_up(second, HELLO)).whereabouts is Whereabouts.ABSENT


async def test_what_was_sent_since_is_asked_up_to_the_last_id(
    server: TelegramServer, platform: TelegramPlatform
) -> None:
    ingress = RecordingIngress()
    await platform.send(a_post(7), HELLO)
    post = replace(a_post(7), highest_id=await platform.highest_id(Address("telegram", "7")))
    for _ in range(20):
        # Seen by nobody but Telegram: each takes an id.
        server.chat(8).messages[server._next_id(server.chat(8))] = {"text": "", "from": BOT}
    server.troubles["sendMessage"] = [Trouble.CUT_AFTER]
    with pytest.raises(Unanswered):
        await platform.send(post, HELLO)
    arrived = max(server.chat(7).messages)
    assert (await platform.look_up(post, HELLO)).whereabouts is Whereabouts.ABSENT

    async with receiving(platform, ingress):
        await server.write(8, "a later one")
        await ingress.first()

    assert await platform.look_up(post, HELLO) == LookedUp(Whereabouts.FOUND, str(arrived))


@pytest.mark.parametrize(("ahead", "whereabouts"), [(51, Whereabouts.ABSENT), (52, Whereabouts.UNKNOWABLE)])
async def test_more_than_fifty_ids_are_not_asked(server: TelegramServer, ahead: int, whereabouts: Whereabouts) -> None:
    async def recall() -> list[tuple[str, str]]:
        return [("8", str(100 + ahead))]

    async with open_platform(server, recall=recall) as platform:
        found = await platform.look_up(a_post(7, highest_id=100), HELLO)

    assert found.whereabouts is whereabouts


async def test_without_a_known_id_nothing_can_be_known(server: TelegramServer, platform: TelegramPlatform) -> None:
    post = await lose(server, platform, a_post(7), Trouble.CUT_AFTER)

    assert post.highest_id == 0
    assert (await platform.look_up(post, HELLO)).whereabouts is Whereabouts.UNKNOWABLE
    assert server.called("editMessageReplyMarkup") == []


async def test_what_the_store_knows_to_be_another_message_is_not_taken_for_the_lost_one(
    server: TelegramServer, platform: TelegramPlatform
) -> None:
    await platform.send(a_post(FORUM, thread=5), HELLO)
    post = await lose(server, platform, a_post(FORUM, thread=5), Trouble.CUT_BEFORE)
    other = await platform.send(a_post(FORUM, thread=6), HELLO)

    async def recall() -> list[tuple[str, str]]:
        return [(str(FORUM), other)]

    async with open_platform(server, recall=recall) as after_a_restart:
        found = await after_a_restart.look_up(post, HELLO)
        assert await after_a_restart.highest_id(post.address) == int(other)

    assert found.whereabouts is Whereabouts.ABSENT


async def test_of_many_ids_the_highest_are_kept(server: TelegramServer) -> None:
    async def recall() -> list[tuple[str, str]]:
        return [("8", str(number)) for number in range(5000, 100, -1)]

    async with open_platform(server, recall=recall) as platform:
        recent = await platform.look_up(a_post(7, highest_id=4900), HELLO)
        old = await platform.look_up(a_post(7, highest_id=200), HELLO)

        assert await platform.highest_id(Address("telegram", "7")) == 5000
    assert (recent.whereabouts, old.whereabouts) == (Whereabouts.ABSENT, Whereabouts.UNKNOWABLE)


async def test_each_supergroup_counts_for_itself_and_all_other_chats_together(
    server: TelegramServer, platform: TelegramPlatform
) -> None:
    async def highest(*chat_ids: int) -> list[int]:
        return [await platform.highest_id(Address("telegram", str(chat_id))) for chat_id in chat_ids]

    private = int(await platform.send(a_post(7), HELLO))
    assert await highest(7, 8, GROUP, FORUM) == [private, private, private, 0]

    forum = int(await platform.send(a_post(FORUM), HELLO))
    group = int(await platform.send(a_post(GROUP), HELLO))
    assert await highest(7, FORUM) == [group, forum]


@pytest.mark.parametrize("trouble", [Trouble.LIMITED, Trouble.BROKEN])
async def test_a_search_that_cannot_be_made_now_says_so(
    server: TelegramServer, platform: TelegramPlatform, trouble: Trouble
) -> None:
    await platform.send(a_post(7), HELLO)
    post = await lose(server, platform, a_post(7), Trouble.CUT_AFTER)
    server.troubles["editMessageReplyMarkup"] = [trouble]

    with pytest.raises((NotTaken, Unanswered)):
        await platform.look_up(post, HELLO)
    assert (await platform.look_up(post, HELLO)).whereabouts is Whereabouts.FOUND


async def test_a_chat_that_refuses_the_question_is_unknowable(
    server: TelegramServer, platform: TelegramPlatform
) -> None:
    await platform.send(a_post(7), HELLO)
    post = await lose(server, platform, a_post(7), Trouble.CUT_AFTER)
    server.chat(7).refusal = "bot was blocked by the user"

    assert (await platform.look_up(post, HELLO)).whereabouts is Whereabouts.UNKNOWABLE


async def test_the_postman_brings_each_post_once_through_all_troubles(
    server: TelegramServer, platform: TelegramPlatform, store: Store
) -> None:
    server.retry_after = 0.01
    await platform.send(a_post(7), Message("0"))
    server.troubles["sendMessage"] = [Trouble.CUT_AFTER, Trouble.LIMITED, Trouble.CUT_BEFORE, Trouble.BROKEN]
    await have(store, [replace(a_post(7), wanted=str(number), position=number) for number in range(1, 5)])

    async with Postman(store, platform, "node_1", QUICK, SystemClock()).at_work(Supervisor()):
        await server.until(lambda: len(server.chat(7).said) == 5)

    assert server.chat(7).said == ["0", "1", "2", "3", "4"]


async def test_a_forum_gets_nothing_while_a_post_to_one_of_its_topics_is_lost(
    server: TelegramServer, platform: TelegramPlatform, store: Store
) -> None:
    """Its topics count their messages together: one that is sent to another meanwhile would be taken for the lost."""
    await platform.send(a_post(FORUM), Message("0"))
    server.troubles["sendMessage"] = [Trouble.CUT_BEFORE, Trouble.CUT_AFTER]
    topics = {5: "five", 6: "six"}
    posts = [replace(a_post(FORUM, thread=topic), wanted=text, position=topic) for topic, text in topics.items()]
    await have(store, posts)

    async with Postman(store, platform, "node_1", QUICK, SystemClock()).at_work(Supervisor()):
        await until_sent(store)

    assert [params.get("message_thread_id") for params in server.called("sendMessage")] == [None, 5, 5, 6]
    shown = [(message["topic"], message["text"]) for message in server.chat(FORUM).messages.values()]
    assert shown == [(None, "0"), *topics.items()]


async def test_a_post_that_goes_out_before_anything_is_received_can_be_found(
    server: TelegramServer, store: Store
) -> None:
    async def recall() -> list[tuple[str, str]]:
        return [("7", "100")]

    server.troubles["sendMessage"] = [Trouble.CUT_AFTER]
    await have(store, [replace(a_post(7), wanted="Hello", position=1)])
    async with (
        open_platform(server, recall=recall) as platform,
        Postman(store, platform, "node_1", QUICK, SystemClock()).at_work(Supervisor()),
    ):
        await until_sent(store)

    assert server.chat(7).said == ["Hello"]


async def have(store: Store, posts: Sequence[Post]) -> None:
    async def put(tx: Transaction) -> None:
        await tx.platform_doors.hold("telegram", "node_1")
        for post in posts:
            await tx.posts.put(post)

    await store.write(put)


async def until_sent(store: Store) -> None:
    while True:
        posts = await store.read(lambda tx: tx.posts.page(limit=10))
        if all(post.state is PostState.SENT for post in posts):
            return
        # The store signals no change of a post.
        await asyncio.sleep(0.005)
