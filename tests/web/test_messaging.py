"""The operator sees how the messaging doors are doing, what goes out there, and who may talk; nobody else does."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from tests.api.document import judge
from tests.messaging.kit import a_message
from tests.web.kit import Reply, Served
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.messaging.pairing import CODE_SECONDS
from wakeful.model.messaging.post import Post, PostKind, PostState
from wakeful.model.session import Address, Sender
from wakeful.store.base import Transaction

# Old posts and deliveries are forgotten as soon as the engine starts.
LATER = 1_900_000_000.0


async def ask(web: Served, method: str, path: str, who: str = "operator", **how: Any) -> Reply:
    """Send a request, and check the answer against the document."""
    reply = await web.request(method, path, who, **how)
    judge(method, path, reply.status, reply.headers, orjson.dumps(reply.json))
    return reply


async def have_post(web: Served, number: int, state: PostState = PostState.WAITING, **values: Any) -> Post:
    address = Address("telegram", "-100", "7", Sender(message_id="41", user_id="9"))
    post = Post(f"post_{number}", f"key:{number}", address, PostKind.ANSWER, "*Hello*", "ses_1", "turn_1", number)
    given = replace(post, state=state, created_at=LATER, **values)
    await web.store.write(lambda tx: tx.posts.put(given))
    return given


async def state_of(web: Served, post_id: str) -> PostState:
    post = await web.store.read(lambda tx: tx.posts.get(post_id))
    assert post is not None
    return post.state


async def test_platforms_show_their_state_and_how_many_posts_are_stuck(web: Served) -> None:
    web.messaging.doors["telegram"] = DoorStatus(DoorState.RETRYING, 5.0, "@bot", "no route")
    for number, state in enumerate(["waiting", "sending", "unknown", "refused", "sent", "dropped"]):
        await have_post(web, number, PostState(state))

    (shown,) = (await ask(web, "GET", "/api/platforms")).json["platforms"]
    health = await ask(web, "GET", "/health")

    assert (shown["name"], shown["state"], shown["bot"], shown["error"]) == ("telegram", "retrying", "@bot", "no route")
    assert (shown["since"], shown["waiting"], shown["unknown"], shown["refused"]) == (
        "1970-01-01T00:00:05.000Z",
        2,
        1,
        1,
    )
    assert (health.status, health.json["platforms"]) == (200, {"telegram": "retrying"})


async def test_posts_are_listed_newest_first_and_may_be_filtered(web: Served) -> None:
    await have_post(web, 1)
    await have_post(web, 3, not_before=LATER + 1)
    sent_earlier: dict[str, Any] = {"sent_at": LATER + 2, "not_before": LATER + 1}
    await have_post(web, 2, PostState.SENT, message_id="77", tries=2, is_marked=True, **sent_earlier)

    everything = (await ask(web, "GET", "/api/outbox")).json["posts"]
    sent = (await ask(web, "GET", "/api/outbox", params={"state": "sent", "platform": "telegram"})).json["posts"]
    none = (await ask(web, "GET", "/api/outbox", params={"session_id": "ses_2"})).json["posts"]

    assert [(post["id"], post["not_before"]) for post in everything] == [
        ("post_3", "2030-03-17T17:46:41.000Z"),
        ("post_2", None),
        ("post_1", None),
    ]
    assert none == []
    assert sent == [
        {
            "id": "post_2",
            "platform": "telegram",
            "chat_id": "-100",
            "thread_id": "7",
            "chat_name": "",
            "session_id": "ses_1",
            "reply_to": "41",
            "turn_id": "turn_1",
            "kind": "answer",
            "state": "sent",
            "tries": 2,
            "message_id": "77",
            "text": "*Hello*",
            "marked": True,
            "error": "",
            "not_before": None,
            "created_at": "2030-03-17T17:46:40.000Z",
            "sent_at": "2030-03-17T17:46:42.000Z",
        }
    ]


async def test_a_refused_post_is_sent_again_and_one_that_stands_there_is_edited_again(web: Served) -> None:
    await have_post(web, 1, PostState.REFUSED, error="kicked out")
    await have_post(web, 2, PostState.REFUSED, error="too old", message_id="77")

    replies = [await ask(web, "POST", f"/api/outbox/post_{number}/retry") for number in (1, 2)]

    assert [reply.json for reply in replies] == [{"ok": True}] * 2
    assert [await state_of(web, f"post_{number}") for number in (1, 2)] == ["waiting", "sent"]
    assert web.messaging.woken == ["telegram", "telegram"]


@pytest.mark.parametrize("state", [PostState.WAITING, PostState.REFUSED])
async def test_a_post_that_waits_or_was_refused_can_be_dropped(web: Served, state: PostState) -> None:
    await have_post(web, 1, state)

    assert (await ask(web, "POST", "/api/outbox/post_1/drop")).status == 200

    assert await state_of(web, "post_1") == "dropped"
    assert web.messaging.woken == ["telegram"], "later posts of the chat may go on"


@pytest.mark.parametrize(
    ("action", "state"), [("retry", "waiting"), ("retry", "sent"), ("drop", "sending"), ("drop", "unknown")]
)
async def test_a_post_in_another_state_stays_as_it_is(web: Served, action: str, state: str) -> None:
    await have_post(web, 1, PostState(state))

    reply = await ask(web, "POST", f"/api/outbox/post_1/{action}")

    assert (reply.status, reply.code) == (409, "wrong_state")
    assert await state_of(web, "post_1") == state
    assert (await ask(web, "POST", f"/api/outbox/nothing/{action}")).status == 404


async def test_a_person_is_let_in_by_their_code_and_removed_again(web: Served) -> None:
    await web.messaging.people.answer_stranger(a_message("Hello", "5"))
    (waiting,) = (await ask(web, "GET", "/api/pairings")).json["pairings"]

    paired = await ask(web, "POST", "/api/pairings", json={"code": waiting["code"].lower()})
    (listed,) = (await ask(web, "GET", "/api/pairings")).json["pairings"]

    assert (waiting["paired"], waiting["user_id"], waiting["name"], len(waiting["code"])) == (False, "9", "Ada", 8)
    assert paired.json == listed
    assert (listed["paired"], listed["code"], listed["paired_at"] is None) == (True, "", False)
    assert await web.messaging.people.may_talk(a_message("Hello", "6").address)
    assert (await ask(web, "DELETE", "/api/pairings/telegram:9")).status == 200
    assert not await web.messaging.people.may_talk(a_message("Hello", "6").address)
    assert (await ask(web, "DELETE", "/api/pairings/telegram:9")).status == 404


async def test_a_stranger_who_was_refused_gets_no_other_code_that_day(web: Served) -> None:
    await web.messaging.people.answer_stranger(a_message("Hello", "5"))
    (waiting,) = (await ask(web, "GET", "/api/pairings")).json["pairings"]

    refused = await ask(web, "DELETE", "/api/pairings/telegram:9")
    await web.messaging.people.answer_stranger(a_message("Hello again", "6"))

    assert refused.status == 200
    assert (await ask(web, "GET", "/api/pairings")).json["pairings"] == []
    assert (await ask(web, "POST", "/api/pairings", json={"code": waiting["code"]})).status == 404
    assert (await ask(web, "DELETE", "/api/pairings/telegram:9")).status == 404


async def test_a_wrong_code_and_an_old_one_let_nobody_in(web: Served) -> None:
    await web.messaging.people.answer_stranger(a_message("Hello", "5"))
    (waiting,) = (await ask(web, "GET", "/api/pairings")).json["pairings"]

    async def make_old(tx: Transaction) -> None:
        known = await tx.pairings.get("telegram", "9")
        assert known is not None
        await tx.pairings.put(replace(known, asked_at=known.asked_at - CODE_SECONDS))

    await web.store.write(make_old)

    for code in ("NOSUCHCD", waiting["code"]):
        reply = await ask(web, "POST", "/api/pairings", json={"code": code})
        assert (reply.status, reply.code) == (404, "not_found")
    assert (await ask(web, "GET", "/api/pairings")).json["pairings"] == []


async def test_hooks_are_listed_with_where_they_speak_and_when_they_last_did(web: Served) -> None:
    async def accept(tx: Transaction) -> None:
        await tx.chats.put(Chat("hook:builds", "hook", ChatKind.PRIVATE, "builds", "", "ses_1"))
        await tx.chats.put(Chat("telegram:group:-100:7", "telegram", ChatKind.GROUP, "-100", "7", "ses_2"))
        await tx.chats.take(Address("hook", "builds", sender=Sender("d1")), LATER + 2)
        await tx.chats.take(Address("hook", "builds", sender=Sender("d2")), LATER)

    before = (await ask(web, "GET", "/api/hooks")).json["hooks"]
    await web.store.write(accept)
    (builds, shop, alerts) = (await ask(web, "GET", "/api/hooks")).json["hooks"]

    assert [(hook["session_id"], hook["last_at"]) for hook in before] == [(None, None)] * 3
    assert builds == {
        "name": "builds",
        "signature": "standard",
        "url": "/hooks/builds",
        "deliver": "",
        "session_id": "ses_1",
        "last_at": "2030-03-17T17:46:42.000Z",
    }
    assert (shop["url"], shop["deliver"]) == ("https://wakeful.example/hooks/shop", "telegram:-100:7")
    # Without a topic in its target, its messages do not go to the session of one.
    assert (shop["session_id"], alerts["session_id"]) == ("ses_2", None)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/platforms"),
        ("GET", "/api/outbox"),
        ("POST", "/api/outbox/post_1/retry"),
        ("POST", "/api/outbox/post_1/drop"),
        ("GET", "/api/pairings"),
        ("POST", "/api/pairings"),
        ("DELETE", "/api/pairings/telegram:9"),
        ("GET", "/api/hooks"),
    ],
)
async def test_other_keys_are_not_allowed(web: Served, method: str, path: str) -> None:
    await have_post(web, 1)

    reply = await ask(web, method, path, "ann")

    assert (reply.status, reply.code) == (403, "not_allowed")
    assert await state_of(web, "post_1") == "waiting"
