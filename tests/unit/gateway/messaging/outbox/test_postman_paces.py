"""When the postman does what: pauses after failures, rests between edits, and requests that nobody answers."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.kit import FakeClock
from tests.patience import PATIENCE
from tests.unit.gateway.messaging.kit import ScriptedPlatform, Trouble
from wakeful.engine.supervisor import Supervisor
from wakeful.gateway.messaging.outbox import postman as postman_module
from wakeful.gateway.messaging.outbox.manner import Manner
from wakeful.gateway.messaging.outbox.postman import Postman
from wakeful.gateway.messaging.platform import Cure, NotTaken, Refused, Unanswered
from wakeful.gateway.messaging.text.forms import FORMS
from wakeful.model.messaging.post import Post, PostKind, PostState, new_post_id
from wakeful.model.session import Address, Sender
from wakeful.store.base import Store, Transaction
from wakeful.store.sqlite.store import SqliteStore

MANNER = Manner(FORMS["telegram"], send_timeout=5.0, settle_seconds=10.0, edit_seconds=5.0)
# The longest that a postman waits who has nothing to do.
IDLE = 30.0


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(sqlite_path: Path, clock: FakeClock) -> AsyncIterator[Store]:
    store = SqliteStore(sqlite_path, clock.time, synchronous="OFF")
    await store.open()
    await store.write(lambda tx: tx.platform_doors.hold("telegram", "node_1"))
    yield store
    await store.close()


@pytest.fixture
def platform() -> ScriptedPlatform:
    return ScriptedPlatform()


@pytest.fixture
def postman(store: Store, platform: ScriptedPlatform, clock: FakeClock) -> Postman:
    return Postman(store, platform, "node_1", MANNER, clock)


def a_post(chat_id: str = "1", **values: Any) -> Post:
    address = Address("telegram", chat_id, "", Sender("55"))
    post = Post(new_post_id(), f"turn:{chat_id}", address, PostKind.ANSWER, "words", position=1)
    return replace(post, **values)


def a_shown_post(platform: ScriptedPlatform, **values: Any) -> Post:
    """Return a post whose message has old words."""
    platform.chats["1", ""]["1"] = "old"
    return a_post(**{"state": PostState.SENT, "shown": "old", "message_id": "1"} | values)


async def have(store: Store, *posts: Post) -> None:
    async def body(tx: Transaction) -> None:
        for post in posts:
            await tx.posts.put(post)

    await store.write(body)


async def now(store: Store, post: Post) -> Post:
    found = await store.read(lambda tx: tx.posts.get(post.id))
    assert found is not None
    return found


async def one_round(postman: Postman) -> float | None:
    """Let the postman do what is due; return how long he would wait otherwise."""
    async with asyncio.timeout(PATIENCE):
        wait = await postman.sweep()
        await asyncio.gather(*postman._lanes.values())
    assert postman.job.counts.row_failures == 0, "whatever a platform says is no error of his"
    return wait


def kinds(platform: ScriptedPlatform) -> list[str]:
    return [kind for kind, _, _ in platform.requests]


async def test_he_wakes_for_the_post_that_is_due_first(store: Store, postman: Postman, clock: FakeClock) -> None:
    assert await one_round(postman) == IDLE

    await have(store, a_post("1", not_before=clock.time() + 20), a_post("2", not_before=clock.time() + 7))
    assert await one_round(postman) == 7

    clock.advance(6.9999)
    assert await one_round(postman) == pytest.approx(0.01), "and never turns in circles"


@pytest.mark.parametrize(("attempted_after", "wait"), [(-3.0, 7.0), (0.0, 10.0), (3600.0, 10.0)])
async def test_an_unknown_outcome_is_looked_up_when_it_has_settled_whatever_the_clock_did(
    store: Store, platform: ScriptedPlatform, postman: Postman, clock: FakeClock, attempted_after: float, wait: float
) -> None:
    await have(store, a_post(state=PostState.UNKNOWN, attempted_at=clock.time() + attempted_after, tries=1))

    assert await one_round(postman) == wait
    assert platform.requests == []


async def test_a_look_that_fails_is_repeated_after_longer_pauses_and_nothing_is_sent_before(
    store: Store, platform: ScriptedPlatform, postman: Postman, clock: FakeClock
) -> None:
    post = a_post(state=PostState.UNKNOWN, attempted_at=clock.time() - 10, tries=1)
    await have(store, post)
    platform.troubles["1"] = [Unanswered("Cut."), NotTaken("Down.")]

    waits = []
    for _ in range(2):
        await one_round(postman)
        waits.append(await one_round(postman))
        assert (await now(store, post)).state is PostState.UNKNOWN
        clock.advance(waits[-1] or 0.0)
    await one_round(postman)
    await one_round(postman)

    assert waits == [1.0, 2.0]
    assert kinds(platform) == ["look_up"] * 3 + ["send"]
    assert platform.texts("1") == ["words"]


@pytest.mark.parametrize(
    ("troubles", "pauses"),
    [
        ([Unanswered("Cut."), Unanswered("Cut."), Unanswered("Cut.")], [1.0, 2.0, 4.0]),
        ([NotTaken("Slow down.", seconds=7.0), NotTaken("Down.")], [7.0, 2.0]),
    ],
)
async def test_an_edit_that_fails_is_repeated_after_longer_pauses_or_as_the_platform_asks(
    store: Store,
    platform: ScriptedPlatform,
    postman: Postman,
    clock: FakeClock,
    troubles: list[Trouble],
    pauses: list[float],
) -> None:
    post = a_shown_post(platform)
    await have(store, post)
    platform.troubles["1"] = troubles.copy()

    waits = []
    for _ in troubles:
        await one_round(postman)
        waits.append(await one_round(postman))
        clock.advance(waits[-1] or 0.0)
    assert platform.texts("1") == ["old"]
    await one_round(postman)

    assert waits == pauses
    assert platform.texts("1") == ["words"]
    assert ((await now(store, post)).state, (await now(store, post)).shown) == (PostState.SENT, "words")


@pytest.mark.parametrize("cure", [Cure.PLAIN, Cure.NO_ANCHOR])
async def test_an_edit_in_a_form_that_is_refused_is_repeated_at_once_in_another(
    store: Store, platform: ScriptedPlatform, postman: Postman, cure: Cure
) -> None:
    await have(store, a_shown_post(platform, wanted="**words**"))
    platform.troubles["1"] = [NotTaken("Bad form.", cure=cure)]

    await one_round(postman)
    await one_round(postman)

    second = platform.requests[1][2]
    assert (second.is_plain, second.reply_to) == ((True, "55") if cure is Cure.PLAIN else (False, ""))
    assert platform.texts("1") == ["**words**" if cure is Cure.PLAIN else "<b>words</b>"]


async def test_a_form_that_is_refused_twice_waits_like_any_other_failure(
    store: Store, platform: ScriptedPlatform, postman: Postman
) -> None:
    await have(store, a_shown_post(platform, is_plain=True))
    platform.troubles["1"] = [NotTaken("Bad form.", cure=Cure.PLAIN)]

    await one_round(postman)

    assert await one_round(postman) == 1.0
    assert len(platform.requests) == 1


async def test_words_that_grow_rest_between_two_edits_and_are_not_shown_twice(
    store: Store, platform: ScriptedPlatform, postman: Postman, clock: FakeClock
) -> None:
    post = a_post(wanted="w")
    await have(store, post)
    postman.grow(post.key, "wo")
    await one_round(postman)
    assert (platform.texts("1"), await one_round(postman), len(platform.requests)) == (["wo"], IDLE, 1)

    postman.grow(post.key, "wor")

    assert await one_round(postman) == MANNER.edit_seconds
    clock.advance(MANNER.edit_seconds)
    await one_round(postman)
    assert (platform.texts("1"), await one_round(postman), len(platform.requests)) == (["wor"], IDLE, 2)


async def test_growing_words_that_are_too_long_leave_the_stored_ones_whole(
    store: Store, platform: ScriptedPlatform, postman: Postman
) -> None:
    post = a_shown_post(platform, wanted="one two three")
    await have(store, post)
    postman.grow(post.key, "one two three four")
    platform.troubles["1"] = [NotTaken("Too long.", cure=Cure.SHORTER)]

    await one_round(postman)

    assert (await now(store, post)).wanted == "one two three"
    assert await one_round(postman) == 1.0


async def test_a_post_remembers_the_newest_message_before_its_attempt(
    store: Store, platform: ScriptedPlatform, postman: Postman
) -> None:
    platform.chats["1", ""] |= {"1": "a", "2": "b"}
    seen, unseen = a_post("1", highest_id=1), a_post("2", highest_id=7)
    await have(store, seen, unseen)

    await one_round(postman)

    assert ((await now(store, seen)).highest_id, (await now(store, unseen)).highest_id) == (2, 7)


async def test_a_request_that_nobody_answers_is_given_up_and_a_file_has_longer(store: Store, clock: FakeClock) -> None:
    platform = ScriptedPlatform(gate=asyncio.Event())
    assert platform.gate is not None
    postman = Postman(store, platform, "node_1", replace(MANNER, send_timeout=0.05), clock)
    words, file = a_post("1"), a_post("2", kind=PostKind.FILE)
    await have(store, words, file)

    async with asyncio.timeout(PATIENCE):
        await postman.sweep()
        await postman._lanes["1:"]
        assert (await now(store, file)).state is PostState.SENDING
        platform.gate.set()
        await asyncio.gather(*postman._lanes.values())

    given_up = await now(store, words)
    assert (given_up.state, given_up.error) == (PostState.UNKNOWN, "There was no answer in time.")
    assert (await now(store, file)).state is PostState.SENT


@pytest.mark.parametrize("state", [PostState.SENT, PostState.UNKNOWN])
async def test_an_edit_or_a_look_that_nobody_answers_is_repeated(
    store: Store, clock: FakeClock, state: PostState
) -> None:
    platform = ScriptedPlatform(gate=asyncio.Event())
    postman = Postman(store, platform, "node_1", replace(MANNER, send_timeout=0.01), clock)
    post = a_shown_post(platform, state=state, attempted_at=clock.time() - 10)
    await have(store, post)

    await one_round(postman)

    assert (await now(store, post)).state is state
    assert await one_round(postman) == 1.0


@pytest.mark.parametrize("trouble", [NotTaken("Slow down."), Unanswered("Cut."), Refused("Kicked out."), None])
async def test_a_sentence_that_cannot_be_stored_is_said_once_if_it_can_be(
    store: Store, clock: FakeClock, trouble: Trouble | None
) -> None:
    platform = ScriptedPlatform(gate=asyncio.Event() if trouble is None else None)
    postman = Postman(store, platform, "node_1", replace(MANNER, send_timeout=0.01), clock)
    platform.troubles["1"] = [] if trouble is None else [trouble]

    async with asyncio.timeout(PATIENCE):
        await postman.say(Address("telegram", "1"), "My disk is full.")

    assert [(kind, message.text) for kind, _, message in platform.requests] == [("send", "My disk is full.")]


async def test_what_is_under_way_when_he_stops_has_a_moment_to_end(store: Store, clock: FakeClock) -> None:
    platform = ScriptedPlatform(gate=asyncio.Event())
    assert platform.gate is not None
    postman, post = Postman(store, platform, "node_1", MANNER, clock), a_post()
    await have(store, post)

    async with asyncio.timeout(PATIENCE), postman.at_work(Supervisor()):
        await platform.until(lambda: bool(platform.requests))
        asyncio.get_running_loop().call_later(0.02, platform.gate.set)

    assert (await now(store, post)).state is PostState.SENT


async def test_what_does_not_end_then_is_left_as_it_is(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postman_module, "_GRACE_SECONDS", 0.01)
    platform = ScriptedPlatform(gate=asyncio.Event())
    postman, post = Postman(store, platform, "node_1", MANNER, clock), a_post()
    await have(store, post)

    async with asyncio.timeout(PATIENCE), postman.at_work(Supervisor()):
        await platform.until(lambda: bool(platform.requests))

    assert (await now(store, post)).state is PostState.SENDING
    assert not postman._lanes
