"""What is said of background work: what it was, how it ended, and how the agent heard of it."""

from typing import Any

import pytest

from wakeful.cli.lists.job_words import delivery_words, group_title, job_name, job_note, job_time, jobs


def notice(**more: Any) -> dict[str, Any]:
    base = {"source": "process_wakeup", "task_id": "proc_01aaaaaa", "command": "make", "seconds": 2.0}
    return base | {"delivered": "opened", "latency_ms": 0} | more


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({}, "`make`"),
        ({"command": ""}, "A job"),
        ({"command": None}, "A job"),
        ({"source": "delegation_wakeup"}, "Sub-agent"),
        ({"source": "watch_match", "kind": "delegation"}, "Sub-agent"),
    ],
)
def test_a_job_is_named_by_its_command(more: dict[str, Any], name: str) -> None:
    assert job_name(notice(**more)) == name


@pytest.mark.parametrize(
    ("sources", "tasks", "title"),
    [
        (["watch_match", "watch_match"], ["a", "a"], "2 watched lines came"),
        (["delegation_wakeup", "delegation_wakeup"], ["a", "b"], "2 sub-agents reported"),
        (["delegation_wakeup", "delegation_wakeup"], ["a", "a"], "1 sub-agent reported"),
        (["process_wakeup", "watch_match"], ["a", "a"], "1 job reported"),
        (["process_wakeup", "delegation_wakeup"], ["a", "b"], "2 jobs reported"),
    ],
)
def test_what_came_together_is_counted_by_its_kind(sources: list[str], tasks: list[str], title: str) -> None:
    notices = [notice(source=source, task_id=task) for source, task in zip(sources, tasks, strict=True)]

    assert group_title(notices) == title


@pytest.mark.parametrize(
    ("waits", "words"),
    [
        ([0, 999], "woke the agent at once"),
        ([5200, 30], "waited 5.2 s"),
        ([30, 1000], "waited 1.0 s"),
        ([None, None], "woke the agent at once"),
    ],
)
def test_of_several_the_longest_wait_is_told(waits: list[int | None], words: str) -> None:
    assert delivery_words([notice(latency_ms=wait) for wait in waits]) == words


def test_a_way_that_is_not_known_is_not_told() -> None:
    assert delivery_words([notice(delivered="by pigeon")]) == ""
    assert job_note(notice(delivered=None)) == "after 2.0 s"
    assert job_time(notice(seconds=None)) == ""


def test_only_a_sub_agent_shows_its_id_because_it_has_no_command() -> None:
    assert job_note(notice()) == "after 2.0 s · woke the agent at once"
    of_agent = notice(source="delegation_wakeup", task_id="del_01bbbbbb", seconds=None)
    assert job_note(of_agent) == "woke the agent at once · bbbbbb"
    assert job_note(of_agent | {"task_id": None}) == "woke the agent at once"


def test_one_job_is_not_two() -> None:
    assert [jobs(count) for count in (0, 1, 2)] == ["0 jobs", "1 job", "2 jobs"]
