"""News of all of an owner's sessions, and what else the page's home asks of a store."""

import asyncio
from dataclasses import replace
from typing import Any

from tests.store.nouns import a_session, a_task, an_input, close_turn, have_session, have_task, have_turn, some_events
from wakeful.model.event import NewEvent, News
from wakeful.model.journal.entry import answer_entry, result_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.tasks.task import TaskOutcome, TaskStatus
from wakeful.store.base import Store, Transaction


async def tell(store: Store, session_id: str, words: str, owner: str = "alice") -> int:
    """Append an event and make it news; its number in the session."""

    async def body(tx: Transaction) -> int:
        (event,) = await tx.events.append(session_id, None, [NewEvent("process_complete", words.encode())])
        await tx.news.add(owner, event)
        return event.session_seq

    return await store.write(body, lock=[session_id])


async def after(store: Store, number: int, owner: str = "alice", limit: int = 10) -> list[News]:
    return await store.read(lambda tx: tx.news.after(owner, number, limit))


def words_of(news: list[News]) -> list[tuple[int, str]]:
    return [(item.number, item.event.payload.decode()) for item in news]


async def test_news_are_numbered_for_each_owner_across_their_sessions(store: Store) -> None:
    await have_session(store, "s1", title="The build")
    await have_session(store, "s2")
    await have_session(store, "s3", owner="bob")
    await tell(store, "s1", "first")
    await tell(store, "s3", "of bob", owner="bob")
    await tell(store, "s2", "second")
    await tell(store, "s1", "third")

    found = await after(store, 0)

    assert words_of(found) == [(1, "first"), (2, "second"), (3, "third")]
    assert [(n.event.session_id, n.event.session_seq, n.title, n.last_seq) for n in found][::2] == [
        ("s1", 1, "The build", 2),
        ("s1", 2, "The build", 2),
    ]
    assert words_of(await after(store, 1, limit=1)) == [(2, "second")]
    assert await store.read(lambda tx: tx.news.last("alice")) == 3
    assert words_of(await after(store, 0, "bob")) == [(1, "of bob")]
    assert await store.read(lambda tx: tx.news.last("carol")) == 0


async def test_a_number_becomes_visible_after_all_before_it(store: Store) -> None:
    """Numbers become visible in their order, also where transactions overlap."""
    for number in range(8):
        await have_session(store, f"s{number}")
    seen: list[int] = []

    async def watch() -> None:
        while len(seen) < 40:
            seen.extend(n.number for n in await after(store, seen[-1] if seen else 0, limit=100))

    async def write(session_id: str) -> None:
        for _ in range(5):
            await tell(store, session_id, "done")

    async with asyncio.TaskGroup() as group:
        group.create_task(watch())
        for number in range(8):
            group.create_task(write(f"s{number}"))

    assert seen == list(range(1, 41))


async def test_what_was_undone_is_no_news(store: Store) -> None:
    await have_session(store)

    async def body(tx: Transaction) -> None:
        (event,) = await tx.events.append("s1", None, some_events(1))
        await tx.news.add("alice", event)
        raise LookupError

    try:
        await store.write(body, lock=["s1"])
    except LookupError:
        pass
    await tell(store, "s1", "first")

    assert words_of(await after(store, 0)) == [(1, "first")]


async def test_unread_news_lie_beyond_what_their_owner_has_seen(store: Store) -> None:
    await have_session(store, "s1")
    await have_session(store, "s2")
    for words in ("one", "two", "three"):
        await tell(store, "s1", words)
    await tell(store, "s2", "four")
    await store.write(lambda tx: tx.readers.see("alice", "s1", 2))
    await store.write(lambda tx: tx.readers.see("bob", "s2", 1))
    await tell(store, "s2", "his", owner="bob")

    assert words_of(await store.read(lambda tx: tx.news.unread("alice", 10))) == [(4, "four"), (3, "three")]
    assert words_of(await store.read(lambda tx: tx.news.unread("alice", 1))) == [(4, "four")]


async def test_a_deleted_session_makes_no_news(store: Store) -> None:
    await have_session(store, "s1")
    await tell(store, "s1", "one")
    await store.write(lambda tx: tx.sessions.delete("s1", 2_000.0), lock=["s1"])

    assert await after(store, 0) == []
    assert await store.read(lambda tx: tx.news.unread("alice", 10)) == []


async def test_old_news_are_dropped_and_their_numbers_never_given_out_again(store: Store, clock: Any) -> None:
    await have_session(store, "s1")
    await tell(store, "s1", "old")
    await tell(store, "s1", "older than it looks")
    await clock.set(2_000.0)
    await tell(store, "s1", "new")

    assert await store.write(lambda tx: tx.news.drop_old(1_500.0, 1)) == 1
    assert await store.write(lambda tx: tx.news.drop_old(1_500.0, 10)) == 1
    assert await store.write(lambda tx: tx.news.drop_old(1_500.0, 10)) == 0
    assert words_of(await after(store, 0)) == [(3, "new")]
    assert len(await store.read(lambda tx: tx.events.of_session("s1", 0, 10))) == 3


async def test_what_runs_is_that_of_the_owners_listed_sessions(store: Store) -> None:
    await have_task(store, a_task("k1", started_at=2.0))
    await have_task(store, a_task("k2", started_at=1.0, step=2))
    await have_task(store, a_task("inline", step=3, is_inline=True))
    await have_task(store, a_task("ended", step=4))
    await store.write(
        lambda tx: tx.tasks.finish_if_running("ended", TaskOutcome(TaskStatus.EXITED, 0, "")), lock=["s1"]
    )
    await _have_others(store)
    for number, session_id in enumerate(("bobs", "child", "unlisted")):
        owner = "bob" if session_id == "bobs" else "alice"
        await have_task(store, a_task(f"other{number}", session_id, step=9, index=number, owner=owner))

    assert [task.id for task in await store.read(lambda tx: tx.tasks.running_of("alice"))] == ["k2", "k1"]


async def test_running_turns_are_those_of_the_owners_listed_sessions(store: Store) -> None:
    await have_turn(store, "t1", "s1", opened_at=2.0)
    await have_turn(store, "t2", "s2", opened_at=1.0)
    await have_turn(store, "t3", "s3")
    await close_turn(store, "t3")
    await _have_others(store)
    for session_id in ("bobs", "child", "unlisted"):
        await have_turn(store, f"turn_of_{session_id}", session_id)

    assert [turn.id for turn in await store.read(lambda tx: tx.turns.running_of("alice"))] == ["t2", "t1"]


async def _have_others(store: Store) -> None:
    await store.write(lambda tx: tx.sessions.create_if_absent(a_session("bobs", owner="bob")))
    await store.write(lambda tx: tx.sessions.create_if_absent(a_session("child", task_id="k1")))
    await store.write(lambda tx: tx.sessions.create_if_absent(replace(a_session("unlisted"), is_listed=False)))


async def test_the_last_answer_of_a_turn_is_found_without_its_results(store: Store) -> None:
    await have_turn(store, "t1", "s1")
    await have_turn(store, "t2", "s2")
    call = ToolCall("call_1", "read_file", "{}")
    first = answer_entry("t1", Answered(1, AssistantMessage("looking", calls=(call,)), Usage(1, 1)))
    result = result_entry("t1", 1, 1, call_id="call_1", text="words", seconds=0.1)
    last = answer_entry("t1", Answered(2, AssistantMessage("found it"), Usage(1, 1)))
    await store.write(lambda tx: tx.journal.add([an_input("t1", "hello"), first, result, last]), lock=["s1"])

    found = await store.read(lambda tx: tx.journal.last_answers(["t1", "t2", "unknown"]))

    assert {of: (entry.step, entry.data["text"]) for of, entry in found.items()} == {"t1": (2, "found it")}
    step = await store.read(lambda tx: tx.journal.of_step("t1", 1))
    assert [(entry.index, entry.kind) for entry in step] == [(0, "answer"), (1, "result")]
    assert await store.read(lambda tx: tx.journal.last_answers([])) == {}


async def test_promised_work_is_what_runs_and_will_wake_its_session(store: Store) -> None:
    async def has_promised() -> bool:
        return await store.read(lambda tx: tx.tasks.has_promised("s1"))

    await have_task(store, a_task("silent", will_notify=False))
    assert not await has_promised()
    await have_task(store, a_task("k1", step=2))
    assert await has_promised()
    await store.write(lambda tx: tx.tasks.intend_kill_if_running("k1"))
    assert not await has_promised()
