"""Approvals: asked once, answered once, and shown in every session that waits above."""

import asyncio
from dataclasses import replace

import pytest

from tests.store.conftest import Sql
from tests.store.nouns import a_task, an_approval, have_session, have_task
from wakeful.model.approvals.approval import Approval, Choice, Reason
from wakeful.model.tasks.task import TaskKind
from wakeful.store.base import Store


async def test_a_question_is_read_back_whole(store: Store) -> None:
    reasons = (Reason("delete_outside", "Why\0 not?", "/a\0b", "漢字"), Reason("unclear", "hides"))
    approval = an_approval(
        command="rm 'a\0b' 漢字", reasons=reasons, preview="-a\0\n+b", folder="/srv", granted_until=9.5, task_id="k1"
    )

    asked = await _ask(store, approval)

    assert asked == approval
    assert await _get(store) == approval
    assert await store.read(lambda tx: tx.approvals.get("t1", 1, 2)) is None


async def test_a_call_that_asks_again_finds_its_first_question_and_the_answer(store: Store) -> None:
    first = await _ask(store, an_approval())
    await _answer(store, first, Choice.DENY)

    again = await _ask(store, an_approval(command="another", expires_at=999.0))

    assert again == replace(first, choice=Choice.DENY)
    assert await _get(store) == again


async def test_the_newest_question_of_a_call_id_is_found_in_its_session(store: Store) -> None:
    old = await _ask(store, an_approval("t9", created_at=1.0))
    new = await _ask(store, an_approval("t1", created_at=2.0))
    await _ask(store, an_approval("t2", "s2", created_at=3.0))

    assert await store.read(lambda tx: tx.approvals.find("s1", "call1")) == new != old
    assert await store.read(lambda tx: tx.approvals.find("s1", "call2")) is None


async def test_a_question_is_answered_once(store: Store) -> None:
    approval = await _ask(store, an_approval())

    answered = await asyncio.gather(*(_answer(store, approval, choice) for choice in Choice))

    found = await _get(store)
    assert sorted(answered) == [False, False, False, True]
    assert found is not None
    assert found.choice is list(Choice)[answered.index(True)]


async def test_a_question_is_given_up_once_and_then_takes_no_answer(store: Store) -> None:
    approval = await _ask(store, an_approval())

    given_up = [await store.write(lambda tx: tx.approvals.give_up(approval), lock=["s1"]) for _ in range(2)]

    assert given_up == [True, False]
    assert not await _answer(store, approval, Choice.ONCE)
    assert await _get(store) == approval


async def test_a_question_that_was_answered_is_not_given_up(store: Store) -> None:
    approval = await _ask(store, an_approval())
    await _answer(store, approval, Choice.ONCE)

    assert not await store.write(lambda tx: tx.approvals.give_up(approval), lock=["s1"])

    assert await _get(store) == replace(approval, choice=Choice.ONCE)


@pytest.mark.parametrize(("now", "is_answered"), [(89.0, True), (90.0, False)])
async def test_a_question_whose_time_has_passed_is_not_answered(store: Store, now: float, is_answered: bool) -> None:
    approval = await _ask(store, an_approval(expires_at=90.0))

    assert await _answer(store, approval, Choice.ONCE, now=now) is is_answered


async def test_a_question_that_was_never_asked_is_not_answered(store: Store) -> None:
    await have_session(store)

    assert not await _answer(store, an_approval(), Choice.ONCE)


async def test_open_questions_are_neither_answered_nor_expired_and_come_oldest_first(store: Store) -> None:
    await _ask(store, an_approval("t3", created_at=3.0))
    await _ask(store, an_approval("t4", created_at=1.0))
    await _ask(store, an_approval("expired", expires_at=60.0))
    await _ask(store, an_approval("elsewhere", "s2"))
    await _answer(store, await _ask(store, an_approval("answered")), Choice.ONCE)

    assert await _open_of(store, "s1", now=60.0) == ["t4", "t3"]
    assert await _open_of(store, "missing", now=60.0) == []


async def test_the_open_questions_of_a_turn_that_ended_expire(store: Store) -> None:
    answered = await _ask(store, an_approval("t1", index=1))
    await _answer(store, answered, Choice.ONCE)
    waiting = await _ask(store, an_approval("t1", index=2))
    await _ask(store, an_approval("t2"))

    await store.write(lambda tx: tx.approvals.expire("t1", 60.0), lock=["s1"])

    assert await _open_of(store, "s1", now=60.0) == ["t2"]
    assert not await _answer(store, waiting, Choice.ONCE, now=60.0)
    assert await _get(store) == replace(answered, choice=Choice.ONCE)


async def test_a_session_sees_the_open_questions_of_its_delegations_however_deep(store: Store) -> None:
    await _have_child(store, "k1", parent="s1", child="s2")
    await _have_child(store, "k2", parent="s2", child="s3")
    await _have_child(store, "k3", parent="s4", child="s5")
    for number in range(1, 6):
        await _ask(store, an_approval(f"t{number}", f"s{number}", created_at=10.0 - number))

    assert await _open_of(store, "s1") == ["t3", "t2", "t1"]
    assert await _open_of(store, "s2") == ["t3", "t2"]
    assert await _open_of(store, "s3") == ["t3"]


async def test_an_owner_sees_their_open_questions_in_all_sessions_but_deleted_ones(store: Store) -> None:
    await have_session(store, "s3", owner="bob")
    for number in range(1, 5):
        await _ask(store, an_approval(f"t{number}", f"s{number}", created_at=10.0 - number))
    await _ask(store, an_approval("expired", expires_at=60.0))
    await _answer(store, await _ask(store, an_approval("answered")), Choice.ONCE)
    await store.write(lambda tx: tx.sessions.delete("s4", 99.0), lock=["s4"])

    async def waiting(owner: str | None) -> list[str]:
        return [a.turn_id for a in await store.read(lambda tx: tx.approvals.open_of_owner(owner, 60.0))]

    assert await waiting("alice") == ["t2", "t1"]
    assert await waiting("bob") == ["t3"]
    assert await waiting(None) == ["t3", "t2", "t1"]


async def test_what_was_called_always_is_for_the_folder(store: Store) -> None:
    approval = await _ask(store, an_approval())

    await _answer(store, approval, Choice("always"))

    found = await _get(store)
    assert found is not None
    assert found.choice is Choice.FOLDER


async def test_an_answer_that_this_version_does_not_know_allows_nothing(store: Store, sql: Sql) -> None:
    await _answer(store, await _ask(store, an_approval()), Choice.ONCE)
    await sql("UPDATE approvals SET choice = 'on Sundays'")

    found = await _get(store)
    assert found is not None
    assert found.choice is Choice.DENY


async def _ask(store: Store, approval: Approval) -> Approval:
    await have_session(store, approval.session_id)
    return await store.write(lambda tx: tx.approvals.ask_if_new(approval), lock=[approval.session_id])


async def _get(store: Store) -> Approval | None:
    return await store.read(lambda tx: tx.approvals.get("t1", 1, 1))


async def _answer(store: Store, approval: Approval, choice: Choice, *, now: float = 60.0) -> bool:
    return await store.write(lambda tx: tx.approvals.answer_if_open(approval, choice, now), lock=[approval.session_id])


async def _open_of(store: Store, session_id: str, *, now: float = 60.0) -> list[str]:
    approvals = await store.read(lambda tx: tx.approvals.open_of(session_id, now))
    return [approval.turn_id for approval in approvals]


async def _have_child(store: Store, task_id: str, *, parent: str, child: str) -> None:
    # A process of the same session has no session of its own, and must not confuse the search.
    await have_task(store, a_task(f"process_{task_id}", parent, turn_id=f"turn_of_{task_id}", index=2))
    delegation = a_task(task_id, parent, turn_id=f"turn_of_{task_id}", kind=TaskKind.DELEGATION, child_session_id=child)
    await have_task(store, delegation)
    await have_session(store, child, task_id=task_id)
