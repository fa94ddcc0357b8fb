"""Of two that are alike, the one that is meant is read and written, and the other is left alone.

Everything there is exists twice: what belongs to one and what belongs to two. A statement that forgets one of its
conditions finds, or changes, something of two.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.store.conftest import Sql
from tests.store.furnished import LATER, a_chat, a_message, an_answer, furnish
from tests.store.nouns import (
    DONE,
    a_change,
    a_row,
    a_task,
    a_turn,
    an_approval,
    some_events,
)
from tests.store.test_purges import columns_of
from wakeful.model.approvals.approval import Choice
from wakeful.model.journal.change import ChangeState
from wakeful.model.journal.entry import result_entry
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.messaging.post import PostState
from wakeful.model.opening import Closing
from wakeful.model.search.search import Hit
from wakeful.model.session import Sender, TitleOrigin
from wakeful.model.spend import Spend
from wakeful.model.tasks.task import TaskOutcome, TaskStatus
from wakeful.model.turn import Lease
from wakeful.store.base import Body, Store, Transaction

READS: list[Body[Any]] = [
    lambda tx: tx.sessions.get("s_one"),
    lambda tx: tx.sessions.page("one", limit=9),
    lambda tx: tx.sessions.page(None, key="key_one", limit=9),
    lambda tx: tx.sessions.page(None, among=["s_one"], limit=9),
    lambda tx: tx.turns.get("t_one"),
    lambda tx: tx.turns.chain("t_one", 9),
    lambda tx: tx.turns.last_asked("s_one"),
    lambda tx: tx.turns.grown_from("t_one"),
    lambda tx: tx.turns.running_of("one"),
    lambda tx: tx.turns.recent("s_one", 9),
    lambda tx: tx.turns.system_prompt("s_one"),
    lambda tx: tx.lane("s_one", wake_budget=9, key="m"),
    lambda tx: tx.inbox.find("s_one", "m"),
    lambda tx: tx.inbox.find_by_turn("row_one"),
    lambda tx: tx.inbox.pending("s_one"),
    lambda tx: tx.tasks.get("k_one"),
    lambda tx: tx.tasks.of_call("t_one", 1, 1),
    lambda tx: tx.tasks.of_session("s_one"),
    lambda tx: tx.tasks.running_in("s_one"),
    lambda tx: tx.tasks.recent("s_one", ended=9),
    lambda tx: tx.tasks.page("one", limit=9),
    lambda tx: tx.tasks.running_of("one"),
    lambda tx: tx.approvals.get("t_one", 1, 1),
    lambda tx: tx.approvals.find("s_one", "call_one"),
    lambda tx: tx.approvals.open_of("s_one", 0.0),
    lambda tx: tx.approvals.open_of_owner("one", 0.0),
    lambda tx: tx.grants.of_owner("one", 0.0),
    lambda tx: tx.attachments.piece("a_one", 0),
    lambda tx: tx.attachments.find(["a_one"]),
    lambda tx: tx.attachments.of_session("s_one"),
    lambda tx: tx.changes.get("t_one", 1, 1),
    lambda tx: tx.changes.of_turn("t_one"),
    lambda tx: tx.changes.last_turn("s_one", [ChangeState.MADE]),
    lambda tx: tx.logins.ticket("ticket_one"),
    lambda tx: tx.logins.get("login_one"),
    lambda tx: tx.logins.page("one", 9),
    lambda tx: tx.logins.seals("home_one"),
    lambda tx: tx.chats.get("key_one"),
    lambda tx: tx.chats.of_platform("platform_one", 0.0),
    lambda tx: tx.chats.at("platform_one", "chat_one", ""),
    lambda tx: tx.chats.of_session("s_one"),
    lambda tx: tx.chats.last_taken("platform_one", "chat_one"),
    lambda tx: tx.posts.get("p_one"),
    lambda tx: tx.posts.keyed(["key_one"]),
    lambda tx: tx.posts.of_turn("t_one"),
    lambda tx: tx.posts.soonest("platform_one", 0.0, 9e9, 9),
    lambda tx: tx.posts.page(session_id="s_one", limit=9),
    lambda tx: tx.posts.page(platform="platform_one", limit=9),
    lambda tx: tx.pairings.get("platform_one", "user_one"),
    lambda tx: tx.pairings.by_code("CODEone"),
    lambda tx: tx.platform_doors.memory("platform_one"),
    lambda tx: tx.cron_jobs.get("j_one"),
    lambda tx: tx.cron_jobs.named("one", "daily"),
    lambda tx: tx.cron_jobs.runs("j_one", 9),
    lambda tx: tx.conversations.get("c_one"),
    lambda tx: tx.conversations.named("one", "notes"),
    lambda tx: tx.conversations.of_session("s_one"),
    lambda tx: tx.idempotency_keys.find("one", "key"),
    lambda tx: tx.journal.of_turns(["t_one"]),
    lambda tx: tx.journal.inputs_of(["t_one"]),
    lambda tx: tx.journal.of_step("t_one", 1),
    lambda tx: tx.journal.at([Hit("t_one", 0, 0)]),
    lambda tx: tx.journal.last_answers(["t_one"]),
    lambda tx: tx.journal.paid("s_one", ("", 0), 9),
    lambda tx: tx.journal.of_chain("t_one"),
    lambda tx: tx.journal.of_chain_after("t_one", [], 9),
    lambda tx: tx.events.of_turn("t_one", 0, 9),
    lambda tx: tx.events.of_session("s_one", 0, 9),
    lambda tx: tx.news.after("one", 0, 9),
    lambda tx: tx.spending.since(0, "one"),
    lambda tx: tx.readers.marks("one", ["s_one"], 0.0),
]
NOT_THERE: list[Body[Any]] = [
    lambda tx: tx.tasks.has_promised("s_none"),
    lambda tx: tx.cron_jobs.has_open_run("j_none"),
    lambda tx: tx.chats.was_taken(a_message("none")),
    lambda tx: tx.chats.was_taken(replace(a_message("one"), sender=Sender("message_two"))),
    lambda tx: tx.chats.was_taken(replace(a_message("one"), chat_id="chat_two")),
    lambda tx: tx.news.unread("none", 9),
    lambda tx: tx.news.last("none"),
    lambda tx: tx.pairings.get("platform_one", "user_two"),
    lambda tx: tx.pairings.get("platform_two", "user_one"),
    lambda tx: tx.chats.at("platform_one", "chat_two", ""),
    lambda tx: tx.approvals.find("s_one", "call_two"),
    lambda tx: tx.idempotency_keys.find("none", "key"),
    lambda tx: tx.changes.last_turn("s_none", [ChangeState.MADE]),
]


async def test_what_is_asked_about_one_says_nothing_of_two(store: Store) -> None:
    # Two is there before and after one: neither the first nor the last that a statement finds is the right one.
    for name, at in (("two", LATER), ("one", 20.0), ("two_b", LATER)):
        await furnish(store, name, at)

    async def read(tx: Transaction) -> list[list[str]]:
        return [[repr(await body(tx)) for body in bodies] for bodies in (READS, NOT_THERE)]

    about_one, about_nobody = await store.read(read)
    assert [said for said in about_one if "two" in said or "7777" in said or said in ("None", "[]", "{}")] == []
    assert set(about_nobody) <= {"None", "[]", "False", "0"}


async def have_siblings(store: Store) -> None:
    """Things in the session of one that share all but one part of a key with what is written."""

    async def body(tx: Transaction) -> None:
        for step, index in ((1, 2), (2, 1)):
            place: dict[str, Any] = {"step": step, "index": index}
            await tx.approvals.ask_if_new(an_approval("t_one", "s_one", call_id="call_two", **place))
            await tx.changes.begin(a_change("t_one", "s_one", path="two", **place))
            result = result_entry("t_one", step, index, call_id="two", text="two", seconds=0.1)
            await tx.journal.add([result])
        await tx.tasks.add_if_absent(a_task("k_two_sibling", "s_one", owner="one", turn_id="t_one", index=2))
        await tx.inbox.post_if_new(a_row("m_two", "s_one", turn_id="row_two_sibling"))
        await tx.pairings.put(Pairing("platform_one", "user_two", "two", "CODE2", 1.0))
        await tx.pairings.put(Pairing("platform_two", "user_one", "two", "CODE3", 1.0))
        await tx.chats.put(replace(a_chat("two"), key="key_sibling", platform="platform_one"))
        await tx.chats.take(replace(a_message("one"), sender=Sender("message_two_sibling")), LATER)

    await store.write(body, lock=["s_one"])


LEASE = Lease("t_one", "s_one", "keeper", 2)
WRITES: list[Body[Any]] = [
    lambda tx: tx.sessions.change("s_one", title="x", model="x", mode="x"),
    lambda tx: tx.sessions.name("s_one", "x", TitleOrigin.MODEL),
    lambda tx: tx.sessions.count_title_try("s_one"),
    lambda tx: tx.sessions.arrange("s_one", pinned=True, archived=True),
    lambda tx: tx.sessions.set_todo("s_one", b"x"),
    lambda tx: tx.sessions.wake_later("s_one", 5.0),
    lambda tx: tx.spending.add("s_one", Spend(1, 1, 1.0)),
    lambda tx: tx.spending.add_unstored("one", Spend(1, 1, 1.0)),
    lambda tx: tx.turns.begin_context(["t_one"], "t_one"),
    lambda tx: tx.turns.reserve(LEASE, 9),
    lambda tx: tx.turns.take_resume_back("t_one", "old", limit=9),
    lambda tx: tx.turns.mark_recorded("t_one"),
    lambda tx: tx.turns.release(LEASE),
    lambda tx: tx.turns.take_over_if_running("t_one", 2, "new"),
    lambda tx: tx.turns.hide("t_one"),
    lambda tx: tx.turns.keep_system_prompt("s_one", b"x"),
    lambda tx: tx.inbox.withdraw_if_pending("s_one", "m"),
    lambda tx: tx.tasks.next_attempt_if("k_one", 1),
    lambda tx: tx.tasks.save_watch("k_one", b"x", will_notify=False),
    lambda tx: tx.tasks.intend_kill_if_running("k_one"),
    lambda tx: tx.tasks.finish_if_running("k_one", TaskOutcome(TaskStatus.EXITED, 0, "")),
    lambda tx: tx.tasks.take_promises_back("s_none"),
    lambda tx: tx.tasks.intend_kill_of_inline("t_none"),
    lambda tx: tx.approvals.answer_if_open(an_approval("t_one", "s_one"), Choice.ONCE, 0.0),
    lambda tx: tx.approvals.give_up(an_approval("t_one", "s_one", index=9)),
    lambda tx: tx.approvals.expire("t_none", 0.0),
    lambda tx: tx.changes.settle(a_change("t_one", "s_one"), ChangeState.SKIPPED),
    lambda tx: tx.changes.remove([a_change("t_one", "s_one")]),
    lambda tx: tx.grants.count_use(["g_one"], 9.0),
    lambda tx: tx.grants.revoke_if_there("g_one", "one"),
    lambda tx: tx.attachments.use(["a_one"], "s_one"),
    lambda tx: tx.journal.replace(an_answer("t_one", "x")),
    lambda tx: tx.readers.see("one", "s_one", 9),
    lambda tx: tx.conversations.change("c_one", b"x"),
    lambda tx: tx.conversations.delete("c_one"),
    lambda tx: tx.logins.use_ticket_if_new("ticket_one", 9.0),
    lambda tx: tx.logins.prolong("login_one", used_at=9.0, expires_at=99.0),
    lambda tx: tx.logins.put_seal("home_one", "one", "x"),
    lambda tx: tx.logins.drop("login_one"),
    lambda tx: tx.logins.drop_of("one"),
    lambda tx: tx.chats.put_if_at(replace(a_chat("one"), name="x"), "s_one"),
    lambda tx: tx.chats.move("platform_one", "chat_one", "chat_new"),
    lambda tx: tx.posts.change("p_one", PostState.SENT, [PostState.WAITING], error="x"),
    lambda tx: tx.outbox_cursors.put("s_one", 9),
    lambda tx: tx.pairings.delete("platform_one", "user_one"),
    lambda tx: tx.platform_doors.note("platform_one", "old", DoorStatus(DoorState.RETRYING, 5.0, "@bot", "x")),
    lambda tx: tx.platform_doors.remember("platform_one", {}),
    lambda tx: tx.platform_doors.release("platform_one", "old"),
    lambda tx: tx.cron_jobs.change("j_one", name="x"),
    lambda tx: tx.cron_jobs.change_run_of("t_one", reason="x"),
    lambda tx: tx.cron_jobs.fail_open_runs("s_one", "x"),
    lambda tx: tx.cron_jobs.delete("j_one"),
    lambda tx: tx.nodes.retire("one"),
    lambda tx: tx.close(Closing(a_turn("t_one", "s_one", epoch=3, node="new"), DONE, tuple(some_events(1)))),
    lambda tx: tx.sessions.rewind("s_one", head=None, checkpoint=None, message_count=9),
    lambda tx: tx.sessions.delete("s_one", 50.0),
    lambda tx: tx.sessions.restore_if_whole("s_one", 1.0),
]


async def test_what_is_written_about_one_changes_nothing_of_two(store: Store, kind: str, sql: Sql) -> None:
    for name in ("two", "one"):
        await furnish(store, name, 20.0)
    await furnish(store, "two_deleted", 20.0)
    await store.write(lambda tx: tx.sessions.delete("s_two_deleted", LATER), lock=["s_two_deleted"])
    await have_siblings(store)
    await store.write(lambda tx: tx.nodes.renew("two", LATER, host="host1"))
    before = await _rows_of_two(kind, sql)

    for write in WRITES:
        await store.write(write, lock=["s_one", "s_none"])

    assert len(before) > 20
    assert await _rows_of_two(kind, sql) == before


async def _rows_of_two(kind: str, sql: Sql) -> dict[str, list[str]]:
    """The rows of each table in which two is named."""
    found: dict[str, list[str]] = {}
    for table, row in await _rows(kind, sql, sorted(await columns_of(kind, sql))):
        if "two" in row:
            found.setdefault(table, []).append(row)
    return {table: sorted(rows) for table, rows in found.items()}


async def _rows(kind: str, sql: Sql, tables: Sequence[str]) -> list[tuple[str, str]]:
    if kind == "postgres":
        every = " UNION ALL ".join(f"SELECT '{table}', row_to_json(t)::text FROM {table} t" for table in tables)
        return [(table, row) for table, row in await sql(every)]
    found = await asyncio.gather(*(sql(f"SELECT * FROM {table}") for table in tables))
    return [(table, repr(row)) for table, rows in zip(tables, found, strict=True) for row in rows]
