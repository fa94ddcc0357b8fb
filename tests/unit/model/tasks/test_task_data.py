"""A task as people and events see it."""

from dataclasses import replace

from tests.store.nouns import a_task
from wakeful.model.inbox import RowStatus
from wakeful.model.tasks.task import TaskStatus
from wakeful.model.tasks.task_data import task_data


def test_a_job_tells_what_it_is_watched_for_as_long_as_a_match_would_wake_its_session() -> None:
    watched = replace(a_task(), spec=b'{"watch_patterns": ["ERROR"]}', watch=b"{}", status=TaskStatus.RUNNING)

    assert task_data(watched)["watched_for"] == ["ERROR"]
    over = (
        replace(watched, watch=b'{"is_off": true}'),
        replace(watched, kill_intended=True),
        replace(watched, status=TaskStatus.EXITED),
        replace(watched, spec=b"{}"),
    )
    assert [task_data(task)["watched_for"] for task in over] == [[], [], [], []]


def test_a_job_tells_whether_its_end_still_wakes_its_session() -> None:
    running = a_task(will_notify=True)
    ended = replace(running, status=TaskStatus.EXITED)

    waking = [running, replace(ended, notice_status=RowStatus.PENDING)]
    assert [task_data(task)["will_notify"] for task in waking] == [True, True]
    silent = [
        replace(running, will_notify=False),
        replace(running, kill_intended=True),
        replace(ended, notice_status=RowStatus.CLAIMED),
        ended,
    ]
    assert [task_data(task)["will_notify"] for task in silent] == [False] * 4


def test_a_new_task_runs_for_the_first_time_and_in_the_background() -> None:
    task = a_task()

    assert (task.is_running, task.has_promise, task.notice_key) == (True, True, "task:k1")
    assert (task.attempt, task.part, task.is_inline, task.kill_intended) == (1, 0, False, False)
    assert (task.watched_for, task.allowed_tools) == ([], None)
    assert replace(task, spec=b'{"tools": ["look"]}').allowed_tools == ("look",)
