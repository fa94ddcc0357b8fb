"""A task as people and events see it."""

from dataclasses import replace

from tests.store.nouns import a_task
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
