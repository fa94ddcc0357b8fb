"""The postman: each post once, those of a chat in order, and a doubt is looked into before anything is sent again."""

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.engine.clock import SystemClock
from wakeful.engine.supervisor import Supervisor
from wakeful.gateway.messaging.outbox.lines import MARK
from wakeful.gateway.messaging.outbox.manner import Manner
from wakeful.gateway.messaging.outbox.postman import Postman
from wakeful.gateway.messaging.platform import Cure, LookedUp, NotTaken, Refused, Unanswered, Whereabouts
from wakeful.gateway.messaging.text.forms import FORMS
from wakeful.model.messaging.post import Post, PostKind, PostState, new_post_id
from wakeful.model.session import Address, Sender
from wakeful.store.base import Store, Transaction

MANNER = Manner(FORMS["telegram"], send_timeout=5.0, settle_seconds=0.02, edit_seconds=0.01)


@pytest.fixture
async def store(store: Store) -> Store:
    await store.write(lambda tx: tx.platform_doors.hold("telegram", "node_1"))
    return store


@asynccontextmanager
async def sending(store: Store, platform: ScriptedPlatform, manner: Manner = MANNER) -> AsyncIterator[Postman]:
    postman = Postman(store, platform, "node_1", manner, SystemClock())
    async with asyncio.timeout(PATIENCE), postman.at_work(Supervisor()):
        yield postman


def a_post(number: int, chat_id: str = "1", **values: Any) -> Post:
    address = Address("telegram", chat_id, "", Sender("55"))
    post = Post(new_post_id(), f"turn:{chat_id}:{number}", address, PostKind.ANSWER, f"words {number}", position=number)
    return replace(post, **values)


async def have(store: Store, *posts: Post) -> None:
    async def body(tx: Transaction) -> None:
        for post in posts:
            await tx.posts.put(post)

    await store.write(body)


async def state_of(store: Store, post: Post) -> Post:
    found = await store.read(lambda tx: tx.posts.get(post.id))
    assert found is not None
    return found


async def until_state(store: Store, post: Post, state: PostState, shown: str | None = None) -> Post:
    while True:
        found = await state_of(store, post)
        if found.state is state and shown in (None, found.shown):
            return found
        # The store signals no change of a post.
        await asyncio.sleep(0.005)


async def test_posts_of_a_chat_go_out_in_order_and_others_beside_them(store: Store) -> None:
    platform = ScriptedPlatform()
    platform.troubles["1"] = [NotTaken("Slow down.", seconds=0.2)]
    await have(store, a_post(1), a_post(2), a_post(3, "2"))

    async with sending(store, platform):
        await platform.until(lambda: len(platform.texts("1")) == 2)

    assert platform.texts("1") == ["words 1", "words 2"]
    assert platform.texts("2") == ["words 3"]
    assert [message.text for _, _, message in platform.requests][:2] == ["words 1", "words 3"], (
        "no chat waits for another"
    )


async def test_a_post_waits_for_its_time_and_not_for_a_clock_that_was_set_back(store: Store) -> None:
    platform, now = ScriptedPlatform(), time.time()
    waiting = a_post(1, "1", tries=1, attempted_at=now, not_before=now + 7200)
    set_back = a_post(2, "2", tries=1, attempted_at=now + 3600, not_before=now + 7200)
    await have(store, waiting, set_back)

    async with sending(store, platform):
        await until_state(store, set_back, PostState.SENT)

    assert (platform.texts("1"), platform.texts("2")) == ([], ["words 2"])
    assert (await state_of(store, waiting)).state is PostState.WAITING


@pytest.mark.parametrize("seconds", [-5.0, math.nan, 1e12, math.inf])
async def test_an_absurd_wait_neither_hurries_a_post_nor_silences_its_chat_for_good(
    store: Store, seconds: float
) -> None:
    platform, post = ScriptedPlatform(), a_post(1)
    platform.troubles["1"] = [NotTaken("Slow down.", seconds=seconds)] * 9
    await have(store, post)

    async with sending(store, platform):
        await platform.until(lambda: bool(platform.requests))
        waiting = await until_state(store, post, PostState.WAITING)

    assert waiting.tries == 1
    assert waiting.attempted_at is not None
    assert 1.0 <= waiting.not_before - waiting.attempted_at < 86_400 + PATIENCE


async def test_no_more_requests_are_under_way_than_the_destination_takes(store: Store) -> None:
    platform = ScriptedPlatform(gate=asyncio.Event())
    await have(store, *(a_post(number, str(number)) for number in range(5)))

    async with sending(store, platform, replace(MANNER, unordered_slots=2)) as postman:
        await platform.until(lambda: len(platform.requests) == 2)
        await postman.sweep()
        seen = len(platform.requests)
        assert platform.gate is not None
        platform.gate.set()
        await platform.until(lambda: all(platform.texts(str(number)) for number in range(5)))

    assert seen == 2


async def test_a_post_is_sent_once_and_knows_its_message(store: Store) -> None:
    platform = ScriptedPlatform()
    post = a_post(1)
    await have(store, post)

    async with sending(store, platform):
        sent = await until_state(store, post, PostState.SENT)

    assert (sent.message_id, sent.shown, sent.tries) == ("1", "words 1", 1)
    assert platform.texts("1") == ["words 1"]
    assert platform.requests[0][2].reply_to == "55"


async def test_a_cut_connection_is_looked_into_before_the_post_is_sent_again(store: Store) -> None:
    platform = ScriptedPlatform(answer=LookedUp(Whereabouts.ABSENT))
    platform.troubles["1"] = [Unanswered("The connection was cut.")]
    post = a_post(1)
    await have(store, post, a_post(2))

    async with sending(store, platform):
        await platform.until(lambda: len(platform.texts("1")) == 2)

    assert [kind for kind, _, _ in platform.requests] == ["send", "look_up", "send", "send"]
    assert platform.texts("1") == ["words 1", "words 2"], "what comes later has waited"


async def test_a_post_that_is_found_is_not_sent_again_but_brought_up_to_date(store: Store) -> None:
    platform = ScriptedPlatform(arrives=True, answer=LookedUp(Whereabouts.FOUND, "1"))
    platform.troubles["1"] = [Unanswered("No answer.")]
    post = a_post(1)
    await have(store, post)

    async with sending(store, platform):
        await platform.until(lambda: any(kind == "edit" for kind, _, _ in platform.requests))
        found = await until_state(store, post, PostState.SENT, shown="words 1")

    assert platform.texts("1") == ["words 1"]
    assert (found.state, found.message_id, found.is_marked) == (PostState.SENT, "1", False)


async def test_where_it_cannot_be_known_the_second_one_says_so(store: Store) -> None:
    platform = ScriptedPlatform(arrives=True, answer=LookedUp(Whereabouts.UNKNOWABLE))
    platform.troubles["1"] = [Unanswered("No answer.")]
    post = a_post(1)
    await have(store, post)

    async with sending(store, platform):
        sent = await until_state(store, post, PostState.SENT)

    assert platform.texts("1") == ["words 1", f"{MARK}\nwords 1"]
    assert sent.is_marked


async def test_what_a_dead_process_was_sending_is_unknown(store: Store) -> None:
    platform = ScriptedPlatform(answer=LookedUp(Whereabouts.FOUND, "9"))
    post = a_post(1, state=PostState.SENDING, attempted_at=1.0, tries=1)
    await have(store, post)
    platform.chats["1", ""]["9"] = "words"

    async with sending(store, platform):
        await platform.until(lambda: platform.texts("1") == ["words 1"])

    assert [kind for kind, _, _ in platform.requests] == ["look_up", "edit"]


@pytest.mark.parametrize("cure", [Cure.PLAIN, Cure.NO_ANCHOR])
async def test_another_form_cures_a_refusal_of_the_form(store: Store, cure: Cure) -> None:
    platform = ScriptedPlatform()
    platform.troubles["1"] = [NotTaken("Bad form.", cure=cure)]
    post = a_post(1, wanted="**words**")
    await have(store, post)

    async with sending(store, platform):
        await until_state(store, post, PostState.SENT)

    second = platform.requests[1][2]
    assert (second.is_plain, second.text) == ((True, "**words**") if cure is Cure.PLAIN else (False, "<b>words</b>"))
    assert second.reply_to == ("55" if cure is Cure.PLAIN else "")


async def test_a_post_that_is_too_long_goes_out_in_parts_before_the_next(store: Store) -> None:
    platform = ScriptedPlatform()
    platform.troubles["1"] = [NotTaken("Too long.", cure=Cure.SHORTER)]
    await have(store, a_post(1, wanted="one two three four"), a_post(2))

    async with sending(store, platform):
        await platform.until(lambda: "words 2" in platform.texts("1"))

    assert " ".join(platform.texts("1")) == "one two three four words 2"
    assert len(platform.texts("1")) > 2


@pytest.mark.parametrize("how", [{}, {"state": PostState.SENT, "shown": "", "message_id": "1"}])
async def test_what_is_too_long_and_has_no_parts_is_refused_and_the_next_one_is_tried(
    store: Store, how: dict[str, Any]
) -> None:
    platform = ScriptedPlatform()
    platform.troubles["1"] = [NotTaken("Too long.", cure=Cure.SHORTER)]
    post = a_post(1, wanted="&", **how)
    await have(store, post, a_post(2))

    async with sending(store, platform):
        await until_state(store, post, PostState.REFUSED)
        await platform.until(lambda: platform.texts("1") == ["words 2"])


async def test_an_edit_that_is_too_long_leaves_the_rest_to_new_posts(store: Store) -> None:
    platform = ScriptedPlatform()
    post = a_post(1, state=PostState.SENT, wanted="one two three four", shown="one", message_id="1")
    await have(store, post)
    platform.chats["1", ""]["1"] = "one"
    platform.troubles["1"] = [NotTaken("Too long.", cure=Cure.SHORTER)]

    async with sending(store, platform):
        await platform.until(lambda: " ".join(platform.texts("1")) == "one two three four")


async def test_a_refused_post_stays_and_the_next_one_is_tried(store: Store) -> None:
    platform = ScriptedPlatform()
    platform.troubles["1"] = [Refused("The bot was kicked out.")]
    post = a_post(1)
    await have(store, post, a_post(2))

    async with sending(store, platform):
        await platform.until(lambda: platform.texts("1") == ["words 2"])
        refused = await until_state(store, post, PostState.REFUSED)

    assert refused.error == "The bot was kicked out."


async def test_growing_words_are_edits_and_the_last_ones_are_always_shown(store: Store) -> None:
    platform = ScriptedPlatform()
    post = a_post(1, wanted="w")
    await have(store, post)

    async with sending(store, platform) as postman:
        postman.grow(post.key, "wo")
        await platform.until(lambda: platform.texts("1") == ["wo"])
        postman.grow(post.key, "wor")
        await platform.until(lambda: platform.texts("1") == ["wor"])
        await store.write(partial(_want, post, "word"))
        postman.stop_growing([post.key])
        await platform.until(lambda: platform.texts("1") == ["word"])
        found = await until_state(store, post, PostState.SENT, shown="word")

    assert [kind for kind, _, _ in platform.requests].count("send") == 1
    assert found.state is PostState.SENT


async def _want(post: Post, text: str, tx: Transaction) -> bool:
    return await tx.posts.put(replace(post, wanted=text))


async def test_an_edit_that_is_refused_for_good_leaves_what_is_shown(store: Store) -> None:
    platform = ScriptedPlatform()
    post = a_post(1, state=PostState.SENT, shown="old", message_id="1")
    await have(store, post)
    platform.chats["1", ""]["1"] = "old"
    platform.troubles["1"] = [Refused("Too old to edit.")]

    async with sending(store, platform):
        refused = await until_state(store, post, PostState.REFUSED)

    assert (refused.shown, platform.texts("1")) == ("old", ["old"])


async def test_a_node_that_lost_the_door_sends_nothing(store: Store) -> None:
    platform = ScriptedPlatform()
    await have(store, a_post(1))
    await store.write(lambda tx: tx.platform_doors.hold("telegram", "node_2"))
    postman = Postman(store, platform, "node_1", MANNER, SystemClock())

    await postman.sweep()
    await asyncio.gather(*postman._lanes.values())

    assert platform.requests == []


async def test_sending_leaves_what_was_written_about_a_post_meanwhile(store: Store) -> None:
    stale = a_post(1, details={"choices": ["once"]})
    await have(store, stale)
    await have(store, replace(stale, wanted="Denied.", details={"choices": []}))

    await Postman(store, ScriptedPlatform(), "node_1", MANNER, SystemClock())._serve(stale)

    sent = await state_of(store, stale)
    assert (sent.state, sent.wanted, sent.details) == (PostState.SENT, "Denied.", {"choices": []})


async def test_words_that_came_while_a_post_was_refused_as_too_long_are_kept(store: Store) -> None:
    platform = ScriptedPlatform()
    platform.troubles["1"] = [NotTaken("Too long.", cure=Cure.SHORTER)]
    stale = a_post(1, wanted="one two three four")
    await have(store, stale)
    await have(store, replace(stale, wanted="one two three four five six"))

    await Postman(store, platform, "node_1", MANNER, SystemClock())._serve(stale)

    parts = await store.read(lambda tx: tx.posts.at_work("telegram"))
    assert " ".join(part.wanted for part in parts) == "one two three four five six"
