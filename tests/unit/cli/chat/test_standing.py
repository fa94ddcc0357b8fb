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


def test_a_session_that_begins_knows_nothing_of_the_one_before() -> None:
    standing = Standing("ses_1", "a:one", "Title", mode="ask", active_turn="t1", approvals={"c": {"call_id": "c"}})
    standing.learn(snapshot(tasks=[running("p1")], queued=[{"turn_id": "t2"}], pending_notices=[{"why": "busy"}]))
    standing.turns.learn({"t1": {"number": 1, "opened_at": "2026-01-01T00:00:00Z", "closed_at": None}})
    standing.works = {"p1": {}}

    standing.begin("ses_2", "b:two")

    assert standing == Standing("ses_2", "b:two", turns=standing.turns)
    standing.turns.hear_end("t1")
    assert standing.turns.waited_for("new", 5.0) is None


def test_what_the_snapshot_does_not_say_stays() -> None:
    standing = Standing("ses_1", "a:one", active_turn="t2")
    silent = {"session": {"title": None, "model": None}, "queued": [{"turn_id": "t2"}, {"turn_id": "t3"}]}

    standing.learn(snapshot(**silent, pending_notices=[{"why": "held"}]))

    assert (standing.model, standing.title, standing.mode) == ("a:one", "", "")
    # Its turn has begun, so the message waits no longer.
    assert [row["turn_id"] for row in standing.queued] == ["t3"]
    assert standing.waiting_notices == [{"why": "held"}]


def test_the_first_frame_says_whether_a_turn_runs() -> None:
    standing = Standing(active_turn="t1")

    standing.hear("initial", {"active": {"turn_id": "t2"}})
    began = standing.active_since
    assert (standing.active_turn, began > 0) == ("t2", True)
    standing.hear("initial", {"active": {"turn_id": "t2"}})
    assert standing.active_since == began
    standing.hear("initial", {"active": None})

    assert not standing.is_busy


def test_a_task_that_is_known_is_not_listed_twice() -> None:
    standing = Standing()
    for name in ("p1", "p2", "p1"):
        standing.hear("task_started", {"task": running(name)})

    assert [task["id"] for task in standing.tasks] == ["p2", "p1"]
    assert standing.task("p1") == running("p1")
    assert standing.task("p3") is None


def test_only_tasks_that_run_are_running_and_the_oldest_question_is_asked() -> None:
    standing = Standing(tasks=[running("p1"), running("p2") | {"status": "exited"}])
    for call_id in ("a", "b"):
        standing.hear("approval_required", {"call_id": call_id})

    assert [task["id"] for task in standing.running_tasks] == ["p1"]
    assert standing.question == {"call_id": "a"}
    assert Standing(tasks=[running("p2") | {"status": "exited"}]).has_promises is False
