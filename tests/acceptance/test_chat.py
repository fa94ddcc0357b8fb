"""`wakeful chat` as people use it: in a terminal, in a pipe, beside a server, and killed at any moment."""

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.acceptance.command import Command, read_until, turn_statuses, until
from tests.acceptance.terminal import CTRL_C, CTRL_D, Terminal, in_terminal
from tests.endpoint import Endpoint, Script
from tests.held_job import HeldJob

# Where the command runs.
_JOB = HeldJob(Path("go"))
_WOKEN = "woke the agent"
_READY = "● live"
_IDLE = "not a real one.)"


def start_waiting(terminal: Terminal, code: int) -> None:
    terminal.enter(f"run {_JOB.command(f'echo out of $((40 + 2)); exit {code}')} in the background")


def let_it_end(wakeful: Command) -> None:
    (wakeful.folder / "go").touch()


async def leave(terminal: Terminal) -> None:
    terminal.type(CTRL_D)
    assert await terminal.end() == 0


async def until_turns(wakeful: Command, statuses: list[str]) -> None:
    async def has_them() -> bool:
        return turn_statuses(wakeful.home) == statuses

    await until(has_them)


async def until_read(wakeful: Command) -> None:
    """Wait until everything that was shown is marked as read."""

    async def is_read() -> bool:
        with closing(sqlite3.connect(wakeful.home / "wakeful.db")) as connection:
            unread = "closed_seq > coalesce((SELECT max(seq) FROM seen WHERE session_id = id), 0)"
            return not connection.execute(f"SELECT id FROM sessions WHERE {unread}").fetchall()

    await until(is_read)


def sessions_in(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "wakeful.db")) as connection:
        return [name for (name,) in connection.execute("SELECT id FROM sessions")]


async def test_a_process_that_ends_wakes_the_agent_while_the_person_types(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        start_waiting(terminal, 0)
        await terminal.see("I will speak up")
        await until_turns(wakeful, ["done"])
        terminal.type("list ")
        let_it_end(wakeful)

        await terminal.see("ended well · exit code 0")
        await terminal.see(_WOKEN)
        await terminal.see("has ended well. Its output:")
        terminal.enter("files")

        await terminal.see("list_files")
        assert terminal.text.count(_WOKEN) == 1
        await terminal.see(_IDLE)
        await leave(terminal)


async def test_ctrl_c_stops_the_answer_and_not_the_program(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("count to 5000")
        await terminal.see("42")

        terminal.type(CTRL_C)
        await terminal.see("Stopped.")
        terminal.enter("hello again")
        await terminal.see("I understand")

        assert turn_statuses(wakeful.home)[0] == "cancelled"
        await leave(terminal)


async def test_ctrl_c_at_an_idle_prompt_clears_the_line_and_twice_leaves(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.type("never sent")
        await terminal.see("never sent")

        terminal.type(CTRL_C)
        terminal.type(CTRL_C)
        await terminal.see("Ctrl-C once more leaves")
        terminal.type(CTRL_C)

        assert await terminal.end() == 0
    assert sessions_in(wakeful.home) == []


async def test_a_message_that_comes_during_an_answer_waits_for_its_turn(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("count to 60")
        await terminal.see("answering")

        terminal.enter("list files")
        await terminal.see("(waits)")
        await terminal.see("59 60")
        await terminal.see("list_files")

        await terminal.see(_IDLE)
        await until_turns(wakeful, ["done", "done"])
        await leave(terminal)


async def test_words_can_steer_a_running_turn(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter(f"run {_JOB.command('echo out of $((40 + 2))')}")
        await terminal.see("terminal  for i in")

        terminal.enter("! count to 7")
        await terminal.see("(waits)")
        let_it_end(wakeful)

        await terminal.see("1 2 3 4 5 6 7")
        await terminal.see(_READY)
        await until_turns(wakeful, ["done"])
        await leave(terminal)


async def test_a_dangerous_command_is_asked_about_and_denied(wakeful: Command) -> None:
    precious = wakeful.home.parent / "precious"
    precious.mkdir()
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter(f"run rm -rf {precious}")
        await terminal.see("The agent asks before it runs this")
        await terminal.see("y allows it once")

        terminal.enter("deny")
        await terminal.see("Denied.")
        await terminal.see(_IDLE)

        assert precious.exists()
        await leave(terminal)


async def test_a_killed_chat_goes_on_where_it_was(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        start_waiting(terminal, 7)
        await terminal.see("I will speak up")
        await terminal.see(_IDLE)
        await terminal.kill()
    let_it_end(wakeful)

    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("/resume")
        await terminal.see("1  ")
        terminal.enter("/resume 1")
        await terminal.see("failed · exit code 7")
        await terminal.see("has failed with exit code 7. Its output:")
        await terminal.see(_IDLE)

        assert terminal.text.count(_WOKEN) == 1
        await until_turns(wakeful, ["done", "done"])
        await leave(terminal)


async def test_a_killed_chat_leaves_the_wake_up_to_the_server(wakeful: Command) -> None:
    async with wakeful.serving():
        async with in_terminal(wakeful, "chat") as terminal:
            await terminal.see(_READY)
            start_waiting(terminal, 7)
            await terminal.see("I will speak up")
            await terminal.kill()
        let_it_end(wakeful)
        await until_turns(wakeful, ["done", "done"])

        async with in_terminal(wakeful, "chat", "--resume") as terminal:
            await terminal.see("failed · exit code 7")
            await terminal.see(_READY)

            assert terminal.text.count(_WOKEN) == 1
            await until_turns(wakeful, ["done", "done"])
            await leave(terminal)


async def test_a_chat_goes_on_when_its_server_was_killed_and_started_again(wakeful: Command) -> None:
    async with wakeful.serving() as server, in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        start_waiting(terminal, 7)
        await terminal.see("I will speak up")
        await terminal.see(_IDLE)

        await server.end(signal.SIGKILL)
        await terminal.see("reconnecting")
        let_it_end(wakeful)
        async with wakeful.serving():
            await terminal.see("failed · exit code 7")
            await terminal.see(_IDLE)
            terminal.enter("list files")
            await terminal.see("list_files")
            await terminal.see(_IDLE)

            assert terminal.text.count(_WOKEN) == 1
            await until_turns(wakeful, ["done"] * 3)
            await leave(terminal)


async def test_leaving_says_what_goes_on(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("run sleep 9 in the background")
        await terminal.see(_IDLE)

        terminal.enter("/quit")
        await terminal.see("sleep 9 goes on running; its end is reported at the next start.")
        await terminal.see("To come back: wakeful chat --resume ")

        assert await terminal.end() == 0


async def test_a_narrow_terminal_is_enough(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat", columns=40, rows=12) as terminal:
        await terminal.see(_READY)
        terminal.enter("hello 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字")
        await terminal.see("I understand")
        await terminal.see("“count to 20”")

        await leave(terminal)


async def test_another_model_can_be_chosen_and_a_wrong_one_is_refused(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("count to 3")
        await terminal.see("1 2 3")

        terminal.enter("/model nobody:nothing")
        await terminal.see("✗")
        terminal.enter("/model demo:wakeful")
        await terminal.see("demo:wakeful answers from now on.")

        await leave(terminal)


async def test_a_branch_leaves_its_origin_as_it_was(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("count to 3")
        await terminal.see("1 2 3")

        terminal.enter("/branch")
        await terminal.see("This is count to 3 (branch 2) (")
        terminal.enter("count to 4")
        await terminal.see("1 2 3 4")

        await leave(terminal)
    assert len(sessions_in(wakeful.home)) == 2


async def test_a_pipe_gets_plain_text_and_waits_for_what_was_promised(wakeful: Command) -> None:
    lines = f"run {_JOB.command('echo $((40 + 2))')} in the background\ncount to 3\n"

    process = await wakeful.start("chat")
    assert process.stdin is not None
    process.stdin.write(lines.encode())
    process.stdin.write_eof()
    answered = await read_until(process.stdout, "1 2 3\n")
    let_it_end(wakeful)
    woken, err = await process.communicate()

    out = answered + woken.decode()
    assert (process.returncode, err) == (0, b"")
    assert "\x1b" not in out
    assert out.count(_WOKEN) == 1
    assert "> 42" in out


async def test_a_pipe_waits_no_longer_than_it_is_told(wakeful: Command) -> None:
    finished = await wakeful.run("chat", "--wait", "0.5", stdin=b"run sleep 9 in the background\n")

    assert finished.code == 1
    assert "did not end within 0.5 s" in finished.err


@pytest.mark.parametrize(("answer", "is_kept"), [(b"", True), (b"y\n", False)])
async def test_in_a_pipe_the_next_line_answers_a_question(wakeful: Command, answer: bytes, is_kept: bool) -> None:
    precious = wakeful.home.parent / "precious"
    precious.mkdir()

    finished = await wakeful.run("chat", stdin=f"run rm -rf {precious}\n".encode() + answer)

    assert finished.code == 0
    assert precious.exists() == is_kept


async def test_background_work_is_listed_read_and_ended(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("run echo hi there; sleep 20 in the background")
        await terminal.see("I will speak up")
        await terminal.see(_IDLE)

        (session,) = json.loads((await wakeful.run("sessions", "--json")).out)
        (task,) = json.loads((await wakeful.run("tasks", "--json", session["session_id"])).out)
        listed = await wakeful.run("tasks", session["session_id"][-6:])
        log = await wakeful.run("tasks", "log", task["id"][-6:])
        ended = await wakeful.run("tasks", "kill", task["id"][-6:])

        assert task["command"] in listed.out
        assert (log.code, log.out) == (0, "hi there\n")
        assert ended.code == 0
        await terminal.see("was stopped")
        assert _WOKEN not in terminal.text
        await leave(terminal)


async def test_a_wake_up_in_the_session_that_was_left_is_shown_in_the_new_one(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        start_waiting(terminal, 7)
        await terminal.see("I will speak up")
        await terminal.see(_IDLE)
        terminal.enter("/new")
        await terminal.see("A new session begins")
        let_it_end(wakeful)

        (session,) = sessions_in(wakeful.home)
        await terminal.see("failed with exit code 7 in")
        await terminal.see(f"(/resume {session[-6:]})")
        await until_turns(wakeful, ["done", "done"])
        listed = await wakeful.run("sessions")
        terminal.enter(f"/resume {session[-6:]}")
        await terminal.see(_WOKEN)

        assert "[unread]" in listed.out
        await until_read(wakeful)
        await leave(terminal)


async def test_a_second_terminal_can_watch(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("count to 60")
        await terminal.see("answering")
        (session,) = sessions_in(wakeful.home)

        async with in_terminal(wakeful, "attach", session) as watcher:
            await watcher.see("count to 60")
            await watcher.see("59 60")
            terminal.enter("list files")
            await watcher.see("list_files")
            watcher.type("nobody hears this\r")
            watcher.type(CTRL_C)
            assert await watcher.end() == 0

        await terminal.see(_IDLE)
        await until_turns(wakeful, ["done", "done"])
        await leave(terminal)


async def test_watching_needs_a_process_that_runs_the_session(wakeful: Command) -> None:
    finished = await wakeful.run("attach", "ses_1")

    assert finished.code == 2
    assert "No server runs here" in finished.err


async def test_a_missing_session_is_reported_plainly(wakeful: Command) -> None:
    finished = await wakeful.run("chat", "--resume", "ses_nothing")

    assert (finished.code, finished.err) == (1, "wakeful: There is no session ses_nothing.\n")


async def test_a_chat_goes_on_when_the_one_that_served_it_was_left(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as first:
        await first.see(_READY)
        async with in_terminal(wakeful, "chat") as second:
            await second.see(_READY)
            second.enter("count to 3")
            await second.see("1 2 3")
            await leave(first)

            second.enter("count to 4")
            await second.see("this chat serves the session from now on")
            await second.see("1 2 3 4")

            await until_turns(wakeful, ["done", "done"])
            await leave(second)


async def test_an_answer_that_broke_off_with_its_server_is_shown_once(wakeful: Command) -> None:
    async with wakeful.serving() as server, in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("count to 99")
        await terminal.see("42")

        await server.end(signal.SIGKILL)
        async with wakeful.serving():
            await terminal.see(" ".join(map(str, range(1, 31))))
            await until_turns(wakeful, ["done"])

            assert terminal.text.count(" ".join(map(str, range(1, 31)))) == 1
            await leave(terminal)


async def test_a_chat_that_is_told_to_end_says_what_goes_on(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("count to 500")
        await terminal.see("42")

        terminal.process.terminate()
        await terminal.see("The answer goes on at the next start.")

        assert await terminal.end() == 143
    await until_turns(wakeful, ["running"])


async def test_a_pipe_whose_reader_leaves_ends_quietly(wakeful: Command) -> None:
    reading, writing = os.pipe()
    process = await wakeful.start("chat", stdout=writing)
    os.close(writing)
    os.close(reading)

    _, err = await process.communicate(b"count to 3\n")

    assert (process.returncode, err) == (1, b"")


async def test_chatting_on_postgres(wakeful: Command, postgres_url: str) -> None:
    lines = b"run sleep 0.5; echo $((40 + 2)) in the background\n"

    finished = await wakeful.having(WAKEFUL_DATABASE_URL=postgres_url).run("chat", stdin=lines)

    assert (finished.code, finished.err) == (0, "")
    assert finished.out.count(_WOKEN) == 1
    assert "> 42" in finished.out


async def test_commands_work_in_a_pipe_and_quit_ends_it(wakeful: Command) -> None:
    finished = await wakeful.run("chat", stdin=b"/nonsense\n\ncount to 3\n/tasks\n/resume\n/quit\nnever said\n")

    assert (finished.code, finished.err) == (0, "")
    assert "There is no command /nonsense" in finished.out
    assert "has started no background work" in finished.out
    assert " 1  " in finished.out
    assert "never said" not in finished.out


async def test_a_pipe_that_holds_no_text_is_refused(wakeful: Command) -> None:
    finished = await wakeful.run("chat", stdin=b"a\xffb\n")

    assert (finished.code, finished.out) == (2, "")
    assert finished.err == "wakeful: Standard input is not text in UTF-8.\n"


async def test_the_newest_session_is_resumed_through_a_pipe(wakeful: Command) -> None:
    nothing = await wakeful.run("chat", "--resume")
    await wakeful.run("chat", stdin=b"count to 3\n")

    resumed = await wakeful.run("chat", "--resume", "--model", "demo:wakeful", stdin=b"count to 4\n")

    assert (nothing.code, nothing.err) == (1, "wakeful: There is no session yet to continue.\n")
    assert "1 2 3\n" in resumed.out
    assert "1 2 3 4\n" in resumed.out
    assert len(sessions_in(wakeful.home)) == 1


async def test_a_session_can_be_watched_through_a_pipe(wakeful: Command) -> None:
    async with in_terminal(wakeful, "chat") as terminal:
        await terminal.see(_READY)
        terminal.enter("count to 3")
        await terminal.see("1 2 3")
        await until_turns(wakeful, ["done"])
        (session,) = sessions_in(wakeful.home)

        watcher = await wakeful.start("attach", session)
        await read_until(watcher.stdout, "1 2 3\n")
        terminal.enter("list files")
        await read_until(watcher.stdout, "list_files")
        watcher.send_signal(signal.SIGINT)
        _, err = await watcher.communicate()

        assert (watcher.returncode, err) == (0, b"")
        await leave(terminal)


async def test_a_failed_turn_is_an_exit_code_for_scripts(wakeful: Command) -> None:
    async with Endpoint(Script(status=401)) as endpoint:
        chatting = wakeful.having(WAKEFUL_MODEL="openai:x", OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-x")
        finished = await chatting.run("chat", stdin=b"hello\n")

    assert finished.code == 1
    assert "OPENAI_API_KEY" in finished.out


async def test_what_a_model_says_is_not_obeyed_by_the_terminal(wakeful: Command) -> None:
    evil = "before \x1b[2J\x1b]0;title\x07\x9b31m after\n\n```\n\x1b[1;1Hcode\n```\nthe end"
    async with Endpoint(Script(text=evil)) as endpoint:
        chatting = wakeful.having(WAKEFUL_MODEL="openai:x", OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-x")
        async with in_terminal(chatting, "chat") as terminal:
            await terminal.see(_READY)
            terminal.enter("hello")
            await terminal.see("the end")
            await leave(terminal)

    assert "before  after" in terminal.text
    assert not any(sign in terminal.raw for sign in ("\x1b[2J", "\x1b]0;", "\x9b", "\x1b[1;1H"))
