"""Chats, posts, pairings and platform doors: what a messaging door writes, both stores give back the same."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.store.nouns import a_row, a_task, have_row, have_session, have_task, have_turn, some_events
from wakeful.model.messaging.chat import Chat, ChatKind, SessionScope, chat_key
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.messaging.post import Post, PostKind, PostState, new_post_id
from wakeful.model.schedules.cron_job import CronJob
from wakeful.model.session import Address, Sender, Session
from wakeful.store.base import Store, Transaction

WHERE = Address("telegram", "-100", "7", Sender("55", "9", "Ada \N{CHERRIES}", "Kitchen"))


def a_chat(thread_id: str = "7") -> Chat:
    key = chat_key("telegram", ChatKind.GROUP, "-100", thread_id, "9", SessionScope.THREAD)
    return Chat(key, "telegram", ChatKind.GROUP, "-100", thread_id, "s1", "Kitchen", "55", 100.0)


def a_post(number: int = 1, **values: Any) -> Post:
    post = Post(f"post_{number}", f"turn_1.{number}", WHERE, PostKind.ANSWER, "Hello\0 \N{CHERRIES}", position=number)
    return replace(post, **values)


async def _put_post(post: Post, tx: Transaction) -> bool:
    return await tx.posts.put(post)


async def put(store: Store, *posts: Post) -> None:
    for post in posts:
        assert await store.write(partial(_put_post, post))


def test_the_id_of_a_post_fits_into_a_nonce() -> None:
    assert len(new_post_id()) == 25
    assert len({new_post_id() for _ in range(100)}) == 100


async def test_a_chat_is_pointed_to_a_new_session_only_from_the_one_that_was_seen(store: Store) -> None:
    chat = replace(a_chat(), session_id="s1")

    assert await store.write(lambda tx: tx.chats.put_if_at(chat, ""))
    assert not await store.write(lambda tx: tx.chats.put_if_at(replace(chat, session_id="s2"), ""))
    assert not await store.write(lambda tx: tx.chats.put_if_at(replace(chat, session_id="s2"), "s0"))
    assert await store.read(lambda tx: tx.chats.get(chat.key)) == chat
    assert await store.write(lambda tx: tx.chats.put_if_at(replace(chat, session_id="s2"), "s1"))
    assert await store.read(lambda tx: tx.chats.of_session("s2")) is not None


async def test_a_chat_points_to_its_newest_session(store: Store) -> None:
    await store.write(lambda tx: tx.chats.put(a_chat()))
    await store.write(lambda tx: tx.chats.put(replace(a_chat(), session_id="s2", last_message_id="60", last_at=200.0)))

    found = await store.read(lambda tx: tx.chats.get(a_chat().key))

    assert found == replace(a_chat(), session_id="s2", last_message_id="60", last_at=200.0)
    assert await store.read(lambda tx: tx.chats.of_session("s2")) == found
    assert await store.read(lambda tx: tx.chats.at("telegram", found.chat_id, found.thread_id)) == found
    assert await store.read(lambda tx: tx.chats.at("telegram", found.chat_id, "other")) is None
    assert await store.read(lambda tx: tx.chats.at("telegram", found.chat_id, None)) == found
    assert await store.read(lambda tx: tx.chats.of_session("s1")) is None
    assert await store.read(lambda tx: tx.chats.of_platform("telegram", 200.0)) == [found]
    assert await store.read(lambda tx: tx.chats.of_platform("telegram", 200.1)) == []


async def test_a_group_that_moves_keeps_its_sessions(store: Store) -> None:
    await store.write(lambda tx: tx.chats.put(a_chat()))
    await store.write(lambda tx: tx.chats.put(replace(a_chat(""), session_id="s3")))
    early = replace(a_chat(), key="telegram:group:-200:7", chat_id="-200", session_id="s9")
    await store.write(lambda tx: tx.chats.put(early))

    await store.write(lambda tx: tx.chats.move("telegram", "-100", "-200"))

    assert await store.read(lambda tx: tx.chats.get("telegram:group:-200:7")) == replace(early, session_id="s1")
    moved = await store.read(lambda tx: tx.chats.get("telegram:group:-200"))
    assert moved is not None
    assert moved.session_id == "s3"
    assert await store.read(lambda tx: tx.chats.get(a_chat().key)) is None


async def test_what_waits_for_a_group_that_moves_goes_to_it_under_its_new_id(store: Store) -> None:
    await have_session(store, "s1", address=WHERE, chat_key=a_chat().key)
    await have_session(store, "child", address=WHERE)
    await have_session(store, "other", address=replace(WHERE, chat_id="-1"), chat_key="telegram:group:-1")
    await put(store, a_post(1), a_post(2, state=PostState.SENT), a_post(3, address=replace(WHERE, chat_id="-1")))
    job = CronJob("j1", "me", "", "0 9 * * *", "UTC", "Hello", deliver=Address("telegram", "-100", "7"))
    await store.write(lambda tx: tx.cron_jobs.create(job))

    await store.write(lambda tx: tx.chats.move("telegram", "-100", "-200"))

    found = [await store.read(partial(_session, one)) for one in ("s1", "child", "other")]
    assert [(one.address.chat_id, one.chat_key) for one in found] == [
        ("-200", "telegram:group:-200:7"),
        ("-200", ""),
        ("-1", "telegram:group:-1"),
    ]
    listed = await store.read(lambda tx: tx.sessions.page(None, key="telegram:group:-200:7", limit=5))
    assert [session.id for session in listed] == ["s1"]
    posts = await store.read(lambda tx: tx.posts.page(limit=5))
    assert [post.address.chat_id for post in posts] == ["-1", "-100", "-200"]
    assert posts[-1].address.sender.message_id == "", "the messages of the new group have other ids"
    moved = await store.read(lambda tx: tx.cron_jobs.get("j1"))
    assert moved is not None
    assert moved.deliver == Address("telegram", "-200", "7")


async def test_what_has_the_same_id_elsewhere_stays_when_a_group_moves(store: Store) -> None:
    there = replace(WHERE, platform="slack")
    chat = replace(a_chat(), key="slack:group:-100:7", platform="slack")
    await have_session(store, "s1", address=there, chat_key=chat.key)
    await have_session(store, "page", address=replace(WHERE, platform="web"), chat_key="")
    job = CronJob("j1", "me", "", "0 9 * * *", "UTC", "Hello", deliver=Address("slack", "-100", "7"))
    other = replace(job, id="j2", deliver=Address("telegram", "-1", "7"))

    async def fill(tx: Transaction) -> None:
        await tx.chats.put(chat)
        await tx.posts.put(a_post(address=there))
        await tx.cron_jobs.create(job)
        await tx.cron_jobs.create(other)

    await store.write(fill)
    await store.write(lambda tx: tx.chats.move("telegram", "-100", "-200"))
    await store.write(lambda tx: tx.chats.move("web", "-100", "-200"))

    assert await store.read(lambda tx: tx.chats.get(chat.key)) == chat
    sessions = [await store.read(partial(_session, one)) for one in ("s1", "page")]
    assert [session.address.chat_id for session in sessions] == ["-100", "-100"]
    assert sessions[0].chat_key == chat.key
    assert await store.read(lambda tx: tx.posts.page(limit=5)) == [a_post(address=there)]
    assert await store.read(lambda tx: tx.cron_jobs.get("j1")) == job
    assert await store.read(lambda tx: tx.cron_jobs.get("j2")) == other


async def _session(session_id: str, tx: Transaction) -> Session:
    session = await tx.sessions.get(session_id)
    assert session is not None
    return session


async def test_a_message_is_taken_once(store: Store) -> None:
    where = Address("slack", "C1", "16.0", Sender("17.5"))
    takes = [await store.write(lambda tx: tx.chats.take(where, 1.0)) for _ in range(2)]
    other = await store.write(lambda tx: tx.chats.take(replace(where, chat_id="C2"), 3.0))

    await store.write(lambda tx: tx.chats.take(replace(where, chat_id="C2", sender=Sender("earlier")), 2.7))

    assert takes == [True, False]
    assert other
    assert await store.read(lambda tx: tx.chats.last_taken("slack", "C2")) == 3.0
    assert await store.write(lambda tx: tx.chats.drop_taken(2.5, 10)) == 1
    assert await store.read(lambda tx: tx.chats.last_taken("slack", "C1")) is None
    assert not await store.read(lambda tx: tx.chats.was_taken(where))
    assert await store.write(lambda tx: tx.chats.take(where, 4.0))
    assert await store.read(lambda tx: tx.chats.was_taken(where))


async def test_a_chat_whose_threads_share_its_session_comes_once_for_each_with_its_newest_message(store: Store) -> None:
    wide = replace(a_chat(""), key="telegram:group:-100", thread_id="b", last_message_id="63", last_at=300.0)
    narrow = replace(a_chat("own"), last_message_id="64", last_at=310.0)
    await store.write(lambda tx: tx.chats.put(replace(wide, thread_id="a")))
    await store.write(lambda tx: tx.chats.put(wide))
    await store.write(lambda tx: tx.chats.put(narrow))
    taken = [("a", "60", 50.0), ("a", "61", 200.0), ("a", "62", 210.0), ("b", "63", 300.0), ("own", "64", 310.0)]
    for thread_id, message_id, at in [*taken, ("old", "1", 10.0)]:
        await store.write(partial(_take, Address("telegram", "-100", thread_id, Sender(message_id)), at))

    found = await store.read(lambda tx: tx.chats.of_platform("telegram", 100.0))

    assert found == [replace(wide, thread_id="a", last_message_id="62", last_at=210.0), wide, narrow]


async def _take(address: Address, at: float, tx: Transaction) -> bool:
    return await tx.chats.take(address, at)


async def test_a_post_comes_back_whole(store: Store) -> None:
    post = a_post(session_id="s1", turn_id="t1", details={"path": "a b", "choices": ["once"]}, created_at=5.0)
    await put(store, post)

    found = await store.read(lambda tx: tx.posts.get(post.id))

    assert found == post
    assert found.address.sender == WHERE.sender
    assert await store.read(lambda tx: tx.posts.of_turn("t1")) == [post]
    assert await store.read(lambda tx: tx.posts.keyed([post.key, "other"])) == [post]


async def test_a_post_with_the_same_key_brings_the_first_up_to_date(store: Store) -> None:
    await put(store, a_post())
    again = a_post(2, key=a_post().key, wanted="Hello again")

    assert await store.write(lambda tx: tx.posts.put(again))
    assert not await store.write(lambda tx: tx.posts.put(again))

    assert await store.read(lambda tx: tx.posts.get("post_1")) == a_post(wanted="Hello again")


async def test_a_dropped_post_stays_as_it_is(store: Store) -> None:
    await put(store, a_post(state=PostState.DROPPED))

    assert not await store.write(lambda tx: tx.posts.put(a_post(wanted="more")))


async def test_posts_that_have_something_left_to_do_come_in_order(store: Store) -> None:
    await put(
        store,
        a_post(1, position=3),
        a_post(2, position=2, part=1000),
        a_post(3, position=2),
        a_post(4, state=PostState.SENT, shown=a_post().wanted),
        a_post(5, state=PostState.SENT, shown="Hel"),
        a_post(6, state=PostState.REFUSED),
        a_post(7, state=PostState.UNKNOWN),
        a_post(8, address=Address("slack", "C1")),
    )

    found = await store.read(lambda tx: tx.posts.at_work("telegram"))

    assert [post.id for post in found] == ["post_3", "post_2", "post_1", "post_5", "post_7"]


async def test_a_post_changes_only_from_an_expected_state(store: Store) -> None:
    await put(store, a_post())

    begun = await store.write(
        lambda tx: tx.posts.change("post_1", PostState.SENDING, [PostState.WAITING], tries=1, attempted_at=9.0)
    )
    again = await store.write(lambda tx: tx.posts.change("post_1", PostState.SENDING, [PostState.WAITING], tries=2))
    sent = await store.write(
        lambda tx: tx.posts.change(
            "post_1", PostState.SENT, [PostState.SENDING], shown="Hello", is_plain=True, highest_id=7, message_id="80"
        )
    )

    assert (begun, again, sent) == (True, False, True)
    assert await store.read(lambda tx: tx.posts.get("post_1")) == a_post(
        state=PostState.SENT, tries=1, attempted_at=9.0, shown="Hello", is_plain=True, highest_id=7, message_id="80"
    )


async def test_the_outbox_is_read_newest_first_and_by_what_is_asked_for(store: Store) -> None:
    await put(store, a_post(1, session_id="s1"), a_post(2, state=PostState.REFUSED), a_post(3))

    async def ids(**wanted: Any) -> list[str]:
        return [post.id for post in await store.read(lambda tx: tx.posts.page(limit=2, **wanted))]

    assert await ids() == ["post_3", "post_2"]
    assert await ids(before=3) == ["post_2", "post_1"]
    assert await ids(state="refused") == ["post_2"]
    assert await ids(session_id="s1", platform="telegram") == ["post_1"]
    assert await ids(platform="slack") == []
    counts = await store.read(lambda tx: tx.posts.counts())
    assert counts == {("telegram", PostState.WAITING): 2, ("telegram", PostState.REFUSED): 1}


async def test_positions_count_up(store: Store) -> None:
    first = await store.write(lambda tx: tx.posts.next_position())
    await put(store, a_post(1, position=first))

    assert await store.write(lambda tx: tx.posts.next_position()) > first


async def test_the_posts_that_are_due_soonest_come_first_and_those_from_before_the_clock_was_set_back(
    store: Store,
) -> None:
    await put(
        store,
        a_post(1, not_before=80.0, attempted_at=20.0),
        a_post(2, not_before=30.0, attempted_at=20.0),
        a_post(3),
        a_post(4, not_before=80.0, attempted_at=60.0),
        a_post(5, state=PostState.SENT, wanted="new", shown="old"),
    )

    async def soonest(limit: int) -> list[str]:
        return [post.id for post in await store.read(lambda tx: tx.posts.soonest("telegram", 50.0, 70.0, limit))]

    assert await soonest(9) == ["post_3", "post_2", "post_4"]
    assert await soonest(1) == ["post_3"]


async def test_old_posts_are_forgotten_when_they_are_over(store: Store) -> None:
    await put(store, a_post(1), a_post(2, state=PostState.SENT), a_post(3, state=PostState.DROPPED, created_at=50.0))

    assert await store.write(lambda tx: tx.posts.drop_old(50.0, 10)) == 1
    assert await store.read(lambda tx: tx.posts.get("post_2")) is None


async def test_sessions_behind_their_cursor_are_found(store: Store) -> None:
    await have_session(store, "s1", address=WHERE)
    await have_session(store, "s2", address=Address("web"))
    await store.write(lambda tx: tx.events.append("s1", None, some_events(3)), lock=["s1"])
    await store.write(lambda tx: tx.events.append("s2", None, some_events(3)), lock=["s2"])

    async def behind(*platforms: str) -> list[str]:
        return await store.read(lambda tx: tx.outbox_cursors.behind(platforms, 10))

    assert await behind("telegram", "slack", "web") == ["s1"]
    assert await behind("slack") == []
    await store.write(lambda tx: tx.outbox_cursors.put("s1", 3))
    await store.write(lambda tx: tx.outbox_cursors.put("s1", 2))
    assert await store.write(lambda tx: tx.outbox_cursors.hold("s1")) == 3
    assert await behind("telegram") == []


async def test_pairings_are_found_by_person_and_by_code(store: Store) -> None:
    ada, bob = Pairing("slack", "U1", "Ada", "ABCD2345", 10.0), Pairing("slack", "U2", "Bob", paired_at=5.0)
    await store.write(lambda tx: tx.pairings.put(ada))
    await store.write(lambda tx: tx.pairings.put(bob))
    await store.write(lambda tx: tx.pairings.put(replace(ada, code="WXYZ6789", asked_at=20.0)))
    # The same code by chance, and older.
    await store.write(lambda tx: tx.pairings.put(Pairing("slack", "U3", "Carl", "WXYZ6789", 15.0)))

    assert await store.read(lambda tx: tx.pairings.by_code("ABCD2345")) is None
    assert await store.read(lambda tx: tx.pairings.by_code("")) is None
    assert await store.read(lambda tx: tx.pairings.by_code("WXYZ6789")) == replace(ada, code="WXYZ6789", asked_at=20.0)
    assert await store.read(lambda tx: tx.pairings.get("slack", "U2")) == bob
    assert await store.write(lambda tx: tx.pairings.delete("slack", "U2"))
    assert not await store.write(lambda tx: tx.pairings.delete("slack", "U2"))
    assert [pairing.user_id for pairing in await store.read(lambda tx: tx.pairings.all())] == ["U3", "U1"]


async def test_a_door_remembers_whatever_node_holds_it(store: Store) -> None:
    assert await store.write(lambda tx: tx.platform_doors.hold("slack", "node_1"))
    await store.write(lambda tx: tx.platform_doors.remember("slack", {"secret": "x"}))
    await store.write(lambda tx: tx.platform_doors.release("slack", "node_1"))

    assert await store.write(lambda tx: tx.platform_doors.hold("slack", "node_2"))
    assert not await store.write(lambda tx: tx.platform_doors.is_held_by("slack", "node_1"))
    assert await store.read(lambda tx: tx.platform_doors.memory("slack")) == {"secret": "x"}
    assert await store.read(lambda tx: tx.platform_doors.memory("discord")) == {}


async def test_the_node_that_holds_a_door_says_how_it_is_doing(store: Store) -> None:
    trouble = DoorStatus(DoorState.RETRYING, 5.0, "@bot", "no route \N{CHERRIES}")
    assert await store.read(lambda tx: tx.platform_doors.status("slack")) == DoorStatus()
    await store.write(lambda tx: tx.platform_doors.remember("slack", {}))
    await store.write(lambda tx: tx.platform_doors.hold("slack", "node_1"))
    assert await store.read(lambda tx: tx.platform_doors.status("slack")) == DoorStatus()

    assert await store.write(lambda tx: tx.platform_doors.note("slack", "node_1", trouble))
    assert await store.write(lambda tx: tx.platform_doors.note("slack", "node_1", trouble)), "nothing new, but it holds"
    assert not await store.write(lambda tx: tx.platform_doors.note("slack", "node_2", DoorStatus()))

    assert await store.read(lambda tx: tx.platform_doors.status("slack")) == trouble


async def test_rows_turns_and_tasks_keep_who_wrote_to_whom(store: Store) -> None:
    await have_session(store, "s1", address=WHERE, chat_key="telegram:group:-100:7", chat_name="Kitchen")
    row = await have_row(store, a_row(address=WHERE))
    await have_turn(store, "t1", address=WHERE)
    await have_task(store, a_task(address=WHERE))

    session = await store.read(lambda tx: tx.sessions.get("s1"))
    turn = await store.read(lambda tx: tx.turns.get("t1"))
    task = await store.read(lambda tx: tx.tasks.get("k1"))

    assert session is not None
    assert (session.chat_key, session.chat_name) == ("telegram:group:-100:7", "Kitchen")
    assert turn is not None
    assert task is not None
    assert [one.address.sender for one in (row, turn, task)] == [WHERE.sender] * 3


async def test_a_purged_session_leaves_no_chat_and_no_post(store: Store) -> None:
    await have_session(store, "s1", address=WHERE)
    await store.write(lambda tx: tx.chats.put(a_chat()))
    await put(store, a_post(session_id="s1"), a_post(2, session_id="s2"))
    await store.write(lambda tx: tx.outbox_cursors.put("s1", 5))

    assert not await store.write(lambda tx: tx.purges.remove_some("s1", 100), lock=["s1"])

    assert await store.read(lambda tx: tx.chats.get(a_chat().key)) is None
    assert await store.write(lambda tx: tx.outbox_cursors.hold("s1")) == 0
    assert [post.id for post in await store.read(lambda tx: tx.posts.page(limit=10))] == ["post_2"]


# One engine holds a SQLite file, so there the node that asks is the only one.
@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
async def test_a_door_stays_with_its_node_while_that_has_a_lease(store: Store) -> None:
    async def renew(tx: Transaction) -> None:
        await tx.nodes.renew("node_1", await tx.now() + 60, host="host")

    await store.write(renew)
    assert await store.write(lambda tx: tx.platform_doors.hold("slack", "node_1"))

    assert not await store.write(lambda tx: tx.platform_doors.hold("slack", "node_2"))
    await store.write(lambda tx: tx.nodes.retire("node_1"))
    assert await store.write(lambda tx: tx.platform_doors.hold("slack", "node_2"))
    assert not await store.write(lambda tx: tx.platform_doors.is_held_by("slack", "node_1"))
