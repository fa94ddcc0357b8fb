"""Commands in a chat: what is one, and what it answers and changes."""

import time
from functools import partial
from typing import Any

import pytest

from tests.store.nouns import a_row, a_session, a_task, an_approval, have_row, have_session, have_task, have_turn
from wakeful.errors import AlreadyAnswered, ApprovalNotFound, ConfigError, NoFolderToGrant, OnceOnly
from wakeful.gateway.messaging.inbound.commands import COMMANDS, Command, Commands, parse_command
from wakeful.model.approvals.approval import Approval, Choice
from wakeful.model.approvals.mode import Mode
from wakeful.model.inbox import RowKind
from wakeful.model.session import Session
from wakeful.store.base import Store, Transaction


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/status", Command("status")),
        (" !Status ", Command("status")),
        ("/model  demo:x \n", Command("model", "demo:x")),
        ("/approve\nsession", Command("approve", "session")),
        ("/unknown now", Command("unknown", "now")),
        ("!important", None),
        ("/etc/passwd", None),
        ("/ status", None),
        ("/1", None),
        ("status", None),
        ("", None),
    ],
)
def test_a_command_begins_with_its_sign(text: str, command: Command | None) -> None:
    assert parse_command(text) == command


class Engine:
    """Notes what a command asks for."""

    def __init__(self, error: Exception | None = None, *, is_running: bool = True) -> None:
        self.asked: list[Any] = []
        self._error = error
        self._is_running = is_running

    @property
    def approvals(self) -> "Engine":
        return self

    async def cancel(self, session_id: str) -> bool:
        self.asked.append(("cancel", session_id))
        return self._is_running

    async def change_session(self, session_id: str, **changes: str) -> None:
        self.asked.append((session_id, changes))

    async def answer(self, session_id: str, call_id: str, choice: Choice) -> None:
        self.asked.append((session_id, call_id, choice))
        if self._error is not None:
            raise self._error


def _check(name: str) -> None:
    if name != "demo:x":
        raise ConfigError("no such model")


async def answer(
    store: Store, text: str, session: Session | None = None, engine: Any = None, mode: Mode = Mode.ASK
) -> str:
    command = parse_command(text)
    assert command is not None
    asked: Any = engine or Engine()
    commands = Commands(asked, store, _check, "demo:default", mode)
    return await commands.answer(command, session)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/stop", "Nothing is running."),
        ("/status", "Session: none yet\nModel: demo:default\nTurn: idle\nQueued: 0\nTasks: 0 running"),
        ("/tasks", "No background work."),
        ("/model", "Model: demo:default"),
        ("/model demo:y", "There is no model demo:y."),
        ("/model demo:x", "Say something first: then this conversation can have a model."),
        ("/mode", "Mode: ask"),
        ("/mode ask", "Say something first: then this conversation can have a mode."),
        ("/approve", "Nothing waits for an answer."),
        ("/approve forever", "Say /approve once, /approve session or /approve folder."),
        ("/approve deny", "Say /deny."),
        ("/deny", "Nothing waits for an answer."),
        ("/unknown", "There is no command /unknown. /help lists them."),
    ],
)
async def test_in_a_chat_that_has_no_session_yet_a_command_says_so(store: Store, text: str, said: str) -> None:
    engine = Engine()

    assert await answer(store, text, engine=engine) == said
    assert engine.asked == []


async def test_help_lists_every_command(store: Store) -> None:
    lines = (await answer(store, "/help")).split("\n")

    assert lines[0] == "Commands:"
    assert [line.partition(":")[0] for line in lines[1:]] == [f"/{word}" for word in COMMANDS]


async def test_the_status_counts_messages_that_wait_and_tasks_that_run(store: Store) -> None:
    await have_turn(store)
    await have_row(store, a_row("m1"))
    await have_row(store, a_row("n1", kind=RowKind.NOTICE))
    await have_task(store, a_task("k1"))
    session = await store.read(lambda tx: tx.sessions.get("s1"))

    assert await answer(store, "/status", session) == (
        "Session: s1\nModel: demo:model\nTurn: running\nQueued: 1\nTasks: 1 running"
    )
    tasks = await answer(store, "/tasks", session)
    assert (tasks.startswith("k1 running "), tasks.endswith(" s: make")) == (True, True)


async def test_what_is_idle_says_so(store: Store) -> None:
    session = await have_session(store, model="")

    assert await answer(store, "/status", session) == (
        "Session: s1\nModel: demo:default\nTurn: idle\nQueued: 0\nTasks: 0 running"
    )
    assert await answer(store, "/tasks", session) == "No background work."
    assert await answer(store, "/model", session) == "Model: demo:default"
    assert await answer(store, "/model", a_session()) == "Model: demo:model"


@pytest.mark.parametrize(("is_running", "said"), [(True, "Stopped."), (False, "Nothing is running.")])
async def test_a_turn_is_stopped(store: Store, is_running: bool, said: str) -> None:
    engine = Engine(is_running=is_running)

    assert await answer(store, "/stop", a_session(), engine) == said
    assert engine.asked == [("cancel", "s1")]


async def test_a_model_is_chosen(store: Store) -> None:
    engine = Engine()

    assert await answer(store, "/model demo:x", a_session(), engine) == "Model: demo:x"
    assert await answer(store, "/model demo:y", a_session(), engine) == "There is no model demo:y."
    assert engine.asked == [("s1", {"model": "demo:x"})]


@pytest.mark.parametrize(
    ("text", "said", "chosen"),
    [
        ("/mode", "Mode: read_only", None),
        ("/mode ask", "Mode: ask", "ask"),
        ("/mode read_only", "Mode: read_only", "read_only"),
        ("/mode everything", "In a chat the mode can be ask or a stricter one: my owner has set it so.", None),
        ("/mode sudo", "There is no mode sudo: it is one of read_only, ask, accept_edits, everything.", None),
    ],
)
async def test_a_mode_is_chosen_that_is_no_looser_than_the_owners(
    store: Store, text: str, said: str, chosen: str | None
) -> None:
    engine = Engine()

    assert await answer(store, text, a_session(mode="read_only"), engine) == said
    assert engine.asked == ([] if chosen is None else [("s1", {"mode": chosen})])


async def _ask(approval: Approval, tx: Transaction) -> None:
    await tx.approvals.ask_if_new(approval)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, "Approved."),
        (AlreadyAnswered(), "Nothing waits for an answer."),
        (ApprovalNotFound(), "Nothing waits for an answer."),
        (OnceOnly(), str(OnceOnly())),
        (NoFolderToGrant(), str(NoFolderToGrant())),
    ],
)
async def test_the_oldest_question_is_answered(store: Store, error: Exception | None, said: str) -> None:
    await have_turn(store)
    for number, age in ((1, 10), (2, 30), (3, 20)):
        asked = an_approval(
            step=number, call_id=f"call{number}", created_at=time.time() - age, expires_at=time.time() + 600
        )
        await store.write(partial(_ask, asked), lock=["s1"])
    engine = Engine(error)

    assert await answer(store, "/approve session", a_session(), engine) == said
    assert engine.asked == [("s1", "call2", Choice.SESSION)]
    assert await answer(store, "/deny", a_session(), engine) == ("Denied." if error is None else said)
    assert engine.asked[-1] == ("s1", "call2", Choice.DENY)
