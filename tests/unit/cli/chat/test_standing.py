"""The state of a session, from its stream and from its snapshot."""

from typing import Any

from wakeful.cli.chat.standing import Standing


def snapshot(**more: Any) -> dict[str, Any]:
    session = {"title": "t", "model": "demo:wakeful"}
    return {"session": session, "tasks": [], "queued": [], "pending_notices": [], "approvals": [], "turns": {}} | more


def running(task_id: str, *, will_notify: bool = True) -> dict[str, Any]:
    return {"id": task_id, "status": "running", "will_notify": will_notify}


def test_a_turn_is_active_until_it_is_completed() -> None:
    standing = Standing()

    standing.hear("server_turn_started", {"turn_id": "t1"})
    was_busy = standing.is_busy
    standing.hear("turn_completed", {"turn_id": "t1"})

    assert (was_busy, standing.is_busy) == (True, False)


def test_the_end_of_another_turn_changes_nothing() -> None:
    standing = Standing(active_turn="t2")

    standing.hear("turn_completed", {"turn_id": "t1"})

    assert standing.active_turn == "t2"


def test_questions_end_with_their_answer_their_result_or_their_turn() -> None:
    standing = Standing(active_turn="t1")
    for call_id, task_id in (("a", None), ("b", None), ("c", None), ("d", "del_1")):
        standing.hear("approval_required", {"call_id": call_id, "task_id": task_id})

    standing.hear("approval_answered", {"call_id": "a"})
    standing.hear("tool_complete", {"call_id": "b"})
    assert list(standing.approvals) == ["c", "d"]

    standing.hear("turn_completed", {"turn_id": "t1"})
    assert list(standing.approvals) == ["d"]


def test_a_question_that_was_open_before_the_look_and_is_not_in_it_is_over() -> None:
    standing = Standing()
    for call_id in ("stopped", "open", "newer"):
        standing.hear("approval_required", {"call_id": call_id, "task_id": "del_1"})

    standing.learn(snapshot(approvals=[{"call_id": "open"}]), asked=["stopped", "open"])

    assert list(standing.approvals) == ["open", "newer"]


def test_a_promise_is_remembered_after_it_was_kept() -> None:
    standing = Standing()
    standing.hear("task_started", {"task": running("p1")})

    standing.learn(snapshot(tasks=[{"id": "p1", "status": "exited", "will_notify": False}]))

    assert standing.promised == {"p1"}
    assert not standing.has_promises


def test_a_message_whose_turn_has_begun_waits_no_longer() -> None:
    standing = Standing()
    standing.learn(snapshot(queued=[{"turn_id": "t2"}, {"turn_id": "t3"}]))

    standing.hear("server_turn_started", {"turn_id": "t2"})

    assert [row["turn_id"] for row in standing.queued] == ["t3"]


def test_there_is_more_to_come_while_a_promised_task_runs_or_news_is_on_its_way() -> None:
    assert Standing(tasks=[running("p1")]).has_promises
    assert not Standing(tasks=[running("p1", will_notify=False)]).has_promises
    assert Standing(waiting_notices=[{"why": "busy"}]).has_promises
    assert not Standing(waiting_notices=[{"why": "held"}]).has_promises
    assert not Standing(waiting_notices=[{"why": "spend"}]).has_promises
