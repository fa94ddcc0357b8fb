"""`terminal_tool` and `process_registry` without an engine: what other programs import."""

import asyncio
import json
import queue
import threading
import time
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from wakeful.context import clear_session_vars, set_session_cwd, set_session_vars
from wakeful.tools.process_registry import ProcessRegistry, process_registry
from wakeful.tools.processes.launch import Launch, launch_of
from wakeful.tools.terminal_tool import terminal_tool

TELEGRAM = {
    "platform": "telegram",
    "chat_id": "7",
    "thread_id": "t",
    "user_id": "u",
    "user_name": "Una",
    "session_key": "key",
    "message_id": "m",
}


@pytest.fixture(autouse=True)
def session() -> Iterator[None]:
    yield
    process_registry.close()
    process_registry.pending_watchers = []
    process_registry.serve_engine(None)
    while not process_registry.completion_queue.empty():
        process_registry.completion_queue.get()


def in_session(**variables: Any) -> Any:
    """Return a context with these session variables, for the calls of the test."""
    context = copy_context()
    context.run(set_session_vars, **variables)
    return context


def call(context: Any = None, **arguments: Any) -> dict[str, Any]:
    run = copy_context() if context is None else context
    answer: dict[str, Any] = json.loads(run.run(terminal_tool, **arguments))
    return answer


def test_foreground_command_answers_with_its_output_and_code() -> None:
    assert call(command="echo hi; exit 2") == {"output": "hi\n", "exit_code": 2, "error": None}


def test_foreground_command_runs_in_the_directory_of_the_session(tmp_path: Path) -> None:
    context = copy_context()
    context.run(set_session_cwd, str(tmp_path))

    assert call(context, command="pwd -P")["output"] == f"{tmp_path}\n"


@pytest.mark.parametrize("pty", [False, True])
def test_a_command_sees_its_own_session_in_its_environment(pty: bool) -> None:
    context = in_session(**TELEGRAM, session_id="ses_7")
    command = "echo $HERMES_SESSION_ID $HERMES_SESSION_KEY $HERMES_SESSION_CHAT_ID $HERMES_SESSION_PLATFORM"

    answer = call(context, command=command, pty=pty)
    call(context, command=command, pty=pty, background=True, notify_on_complete=True)

    assert answer["output"].strip() == "ses_7 key 7 telegram"
    assert process_registry.completion_queue.get(timeout=10)["output"].strip() == "ses_7 key 7 telegram"


def test_a_process_that_is_started_again_sees_the_same_session() -> None:
    task = copy_context().run(
        process_registry.new_task, "true", Launch(workdir="/", variables={"HERMES_SESSION_ID": "ses_7"})
    )

    assert launch_of(task).variables == {"HERMES_SESSION_ID": "ses_7"}


def test_what_an_engine_has_delivered_is_consumed_and_not_marked_in_it_again() -> None:
    marked: list[str] = []
    process_registry.serve_engine(marked.append)

    process_registry.note_delivered("proc_delivered")

    assert process_registry.is_completion_consumed("proc_delivered")
    assert marked == []


def test_promised_end_is_queued_once_with_its_session() -> None:
    answer = call(in_session(**TELEGRAM), command="echo hi; exit 3", background=True, notify_on_complete=True)

    entry = process_registry.completion_queue.get(timeout=10)
    assert abs(entry.pop("started_at") - time.time()) < 10
    assert entry == {
        "type": "completion",
        "session_id": answer["session_id"],
        "session_key": "key",
        "command": "echo hi; exit 3",
        "exit_code": 3,
        "completion_reason": "failed",
        "termination_source": "process",
        "output": "hi\n",
    }
    assert process_registry.completion_queue.empty()


def test_answer_of_a_background_start() -> None:
    answer = call(command="sleep 0.1", background=True, notify_on_complete=True)

    assert answer.pop("session_id").startswith("proc_")
    assert answer.pop("pid") > 1
    assert answer == {
        "output": "Background process started",
        "exit_code": 0,
        "error": None,
        "notify_on_complete": True,
    }


def test_promise_on_a_platform_is_a_pending_watcher() -> None:
    answer = call(in_session(**TELEGRAM), command="true", background=True, notify_on_complete=True)

    assert process_registry.pending_watchers == [
        {
            "session_id": answer["session_id"],
            "check_interval": 5,
            "session_key": "key",
            "platform": "telegram",
            "chat_id": "7",
            "user_id": "u",
            "user_name": "Una",
            "thread_id": "t",
            "message_id": "m",
            "notify_on_complete": True,
        }
    ]


def test_promise_without_a_platform_is_no_pending_watcher() -> None:
    call(in_session(session_key="key"), command="true", background=True, notify_on_complete=True)

    assert process_registry.pending_watchers == []


def test_pending_watchers_may_be_replaced() -> None:
    mine: list[dict[str, Any]] = []
    process_registry.pending_watchers = mine

    call(in_session(**TELEGRAM), command="true", background=True, notify_on_complete=True)

    assert len(mine) == 1


@pytest.mark.parametrize("promise", [{"notify_on_complete": True}, {"watch_patterns": ["x"]}])
def test_without_async_delivery_nothing_is_registered(promise: dict[str, Any]) -> None:
    context = in_session(**TELEGRAM, async_delivery=False)

    answer = call(context, command="echo x", background=True, **promise)

    assert answer["notify_on_complete"] is False
    assert "process(action='poll')" in answer["notify_unsupported"]
    assert "watch_patterns" not in answer
    with pytest.raises(queue.Empty):
        process_registry.completion_queue.get(timeout=0.3)
    assert process_registry.pending_watchers == []


def test_cleared_session_can_deliver_again() -> None:
    context = in_session(**TELEGRAM, async_delivery=False)
    context.run(clear_session_vars, [])

    answer = call(context, command="true", background=True, notify_on_complete=True)

    assert answer["notify_on_complete"] is True
    assert process_registry.pending_watchers == []


def test_watch_match_is_queued() -> None:
    answer = call(command="echo Server READY now", background=True, watch_patterns=["READY"])

    entry = process_registry.completion_queue.get(timeout=10)
    assert answer["watch_patterns"] == ["READY"]
    assert (entry["type"], entry["session_id"]) == ("watch_match", answer["session_id"])
    assert (entry["pattern"], entry["output"]) == ("READY", "Server READY now")


def test_dangerous_command_is_refused_because_no_person_can_be_asked() -> None:
    answer = call(command="rm -rf ~/everything")

    assert (answer["code"], answer["exit_code"]) == ("nobody_to_ask", -1)
    assert "outside of the workspace" in answer["error"]
    assert "no person can be asked" in answer["error"]


def test_arguments_that_cannot_be_used_are_answered_with_a_reason() -> None:
    answer = call(command=" ")

    assert (answer["code"], answer["exit_code"]) == ("invalid_arguments", -1)
    assert "command must be a string that is not empty" in answer["error"]


def test_the_folder_of_the_users_server_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAKEFUL_HOME", f" {tmp_path}/home ")

    assert call(command=f"cat {tmp_path}/home/key")["code"] == "nobody_to_ask"
    assert call(command="cat ~/.wakeful/key")["code"] == "nobody_to_ask"


def test_consumed_completions_are_remembered_and_passed_to_the_engine() -> None:
    consumed: list[str] = []
    process_registry.serve_engine(consumed.append)

    process_registry.mark_completion_consumed("proc_x")

    assert process_registry.is_completion_consumed("proc_x")
    assert not process_registry.is_completion_consumed("proc_y")
    assert consumed == ["proc_x"]


async def test_it_works_from_within_an_event_loop_and_from_threads() -> None:
    here = json.loads(terminal_tool("echo here"))
    there = json.loads(await asyncio.to_thread(terminal_tool, "echo there"))

    assert (here["output"], there["output"]) == ("here\n", "there\n")


def test_concurrent_sessions_keep_their_names() -> None:
    def start(number: int) -> None:
        context = in_session(session_key=f"key{number}")
        call(context, command=f"exit {number}", background=True, notify_on_complete=True)

    threads = [threading.Thread(target=start, args=[number]) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    entries = [process_registry.completion_queue.get(timeout=10) for _ in threads]
    assert {(entry["session_key"], entry["exit_code"]) for entry in entries} == {(f"key{n}", n) for n in range(20)}


def test_its_threads_end_with_it() -> None:
    names = {process_registry.run(lambda keeper: asyncio.to_thread(lambda: threading.current_thread().name))}
    names |= {thread.name for thread in threading.enumerate() if thread.name.startswith("wakeful-processes")}
    assert {name.partition("_")[0] for name in names} == {"wakeful-processes"}

    process_registry.close()

    assert not names & {thread.name for thread in threading.enumerate()}


def test_of_ends_that_were_seen_the_newest_ten_thousand_are_remembered() -> None:
    registry = ProcessRegistry()
    for number in range(10_001):
        registry.note_delivered(f"proc_{number}")

    seen = [registry.is_completion_consumed(f"proc_{number}") for number in (0, 1, 10_000)]
    assert seen == [False, True, True]
