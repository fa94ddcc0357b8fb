"""The chat at a terminal, key by key."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input

from tests.unit.cli.chat.chat_server import ChatServer
from tests.unit.cli.chat.questions import a_question
from wakeful.cli.chat import probe, terminal_chat
from wakeful.cli.chat import talk as talking
from wakeful.cli.chat.standing import Standing
from wakeful.cli.chat.successor import Successor
from wakeful.cli.chat.terminal_chat import TerminalChat
from wakeful.cli.client import RequestRefused, ServerGone
from wakeful.cli.plain_text import harmless
from wakeful.config.load import load_config
from wakeful.errors import StoreError

CTRL_C, CTRL_D, ENTER, ALT_ENTER = "\x03", "\x04", "\r", "\x1b\r"


class Heir(Successor):
    """Takes over when a test lets it."""

    def __init__(self) -> None:
        super().__init__(load_config({}), "terminal")
        self.outcomes: list[bool | StoreError] = []

    async def start(self) -> bool:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, StoreError):
            raise outcome
        return outcome


class Screen(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.has_changed = asyncio.Event()

    def write(self, text: str) -> int:
        self.has_changed.set()
        return super().write(text)


class Seat:
    """Someone in front of a chat."""

    def __init__(self, chat: TerminalChat, server: ChatServer, keys: PipeInput, screen: Screen) -> None:
        self.chat = chat
        self.server = server
        self._keys = keys
        self._screen = screen
        self.running: asyncio.Task[int] | None = None

    @property
    def seen(self) -> str:
        return harmless(self._screen.getvalue())

    @property
    def standing(self) -> Standing:
        """What the status line shows: a screen without a cursor keeps what was painted over."""
        return self.chat._talk.standing

    def type(self, text: str) -> None:
        self._keys.send_text(text)

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(10):
            while not is_so():
                self._screen.has_changed.clear()
                await self._screen.has_changed.wait()

    async def see(self, words: str) -> None:
        await self.until(lambda: words in self.seen)

    async def left(self) -> int:
        assert self.running is not None
        async with asyncio.timeout(10):
            return await self.running

    @property
    def is_there(self) -> bool:
        return self.running is not None and not self.running.done()

    def messages(self) -> list[str]:
        return [body["message"] for body in self.server.carried("/api/chat/start")]


@pytest.fixture
async def server() -> ChatServer:
    return ChatServer()


@pytest.fixture
def heir() -> Heir:
    return Heir()


@pytest.fixture
async def seat(server: ChatServer, heir: Heir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Seat]:
    async with seated(server, heir, tmp_path, monkeypatch) as seat:
        yield seat


@asynccontextmanager
async def seated(
    server: ChatServer,
    heir: Heir,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    resume: str | None = None,
    model: str = "",
) -> AsyncIterator[Seat]:
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    with create_pipe_input() as keys, create_app_session(input=keys):
        chat = TerminalChat(server, heir, home=home, model=model, shown_model="demo:shown", workspace="/tmp")
        seat = Seat(chat, server, keys, screen)
        seat.running = asyncio.create_task(chat.run(resume, model))
        await seat.see("● live")
        yield seat
        if seat.is_there:
            seat.running.cancel()
        await asyncio.gather(seat.running, return_exceptions=True)


async def ask_question(seat: Seat, *, is_read: bool = True) -> None:
    """Let the agent ask; unless told otherwise, the person has had time to read it."""
    seat.type(f"hello{ENTER}")
    await seat.server.until_asked("/api/chat/start")
    seat.server.snapshot["approvals"] = [question := a_question("rm", ("rm", "deletes"))]
    seat.server.send("approval_required", question)
    await seat.see("The agent asks")
    seat.standing.asked_at -= 10 if is_read else 0


async def test_a_typed_line_is_said_and_waits_below_the_answer_until_it_is_taken(seat: Seat) -> None:
    assert "/help shows what you can type." in seat.seen
    assert "demo:shown" in seat.seen

    seat.type(f"hello{ALT_ENTER}there{ENTER}")
    await seat.server.until_asked("/api/chat/start")

    assert seat.messages() == ["hello\nthere"]
    assert seat.server.carried("/api/session/new") == [{"workspace": "/tmp"}]


async def test_lines_are_taken_one_after_the_other_and_counted_meanwhile(seat: Seat) -> None:
    seat.server.takes.clear()

    seat.type(f"one{ENTER}two{ENTER} {ENTER}")
    await seat.see("2 queued")
    seat.server.takes.set()
    await seat.server.until_asked("/api/chat/start", times=2)

    assert seat.messages() == ["one", "two"]
    await seat.until(lambda: not seat.standing.unsent)


@pytest.mark.parametrize("leaving", [CTRL_D, f"/quit{ENTER}"])
async def test_it_is_left_and_nothing_goes_on_in_it(seat: Seat, leaving: str) -> None:
    seat.type(f"hello{ENTER}")
    await seat.server.until_asked("/api/chat/start")

    seat.type(leaving)

    assert await seat.left() == 0
    assert seat.server.open_streams == []
    assert seat.messages() == ["hello"]


async def test_ctrl_d_in_a_line_takes_a_letter_and_does_not_leave(seat: Seat) -> None:
    home = "\x01"

    seat.type(f"xhello{home}{CTRL_D}{ENTER}")
    await seat.server.until_asked("/api/chat/start")

    assert seat.messages() == ["hello"]
    assert seat.is_there


async def test_ctrl_c_clears_the_line_then_warns_then_leaves(seat: Seat) -> None:
    seat.type(f"unwise{CTRL_C}")
    seat.type(f"wise{ENTER}")
    await seat.server.until_asked("/api/chat/start")
    assert seat.messages() == ["wise"]

    seat.type(CTRL_C)
    await seat.see("Ctrl-C once more leaves, as Ctrl-D does.")
    assert seat.is_there
    seat.type(CTRL_C)

    assert await seat.left() == 0


async def test_a_second_ctrl_c_that_comes_late_only_warns_again(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal_chat, "_TWICE_SECONDS", 0.0)

    seat.type(CTRL_C + CTRL_C)
    await seat.until(lambda: seat.seen.count("Ctrl-C once more leaves") == 2)

    assert seat.is_there


async def test_ctrl_c_stops_a_running_answer(seat: Seat) -> None:
    seat.type(f"hello{ENTER}")
    await seat.server.until_asked("/api/chat/start")
    seat.server.send("server_turn_started", {"turn_id": "turn_1"})
    await seat.see("answering")
    seat.server.faults["/api/chat/cancel"] = [RequestRefused(500, {"message": "It cannot be stopped."})]

    seat.type(CTRL_C)
    await seat.see("It cannot be stopped.")
    seat.type(CTRL_C)
    await seat.server.until_asked("/api/chat/cancel", times=2)

    assert seat.server.carried("/api/chat/cancel")[0] == {"session_id": "ses_01aaaaaa"}
    assert seat.is_there


@pytest.mark.parametrize(("key", "choice"), [("y", "once"), ("n", "deny")])
async def test_a_key_answers_the_question_that_was_read(seat: Seat, key: str, choice: str) -> None:
    await ask_question(seat)

    # The rest of the word is no message.
    seat.type(f"{key}{ {'y': 'es', 'n': 'o'}[key] }{ENTER}")
    await seat.server.until_asked("/api/approval/respond")
    seat.server.send("approval_answered", {"call_id": "c", "choice": choice})
    await seat.see("Allowed once." if choice == "once" else "Denied.")
    seat.type(f"next{ENTER}")
    await seat.server.until_asked("/api/chat/start", times=2)

    body = {"session_id": "ses_01aaaaaa", "call_id": "c", "choice": choice}
    assert seat.server.carried("/api/approval/respond") == [body]
    assert seat.messages() == ["hello", "next"]


async def test_such_words_are_messages_when_nothing_was_answered(seat: Seat) -> None:
    seat.type(f"o{ENTER}")
    await seat.server.until_asked("/api/chat/start")

    assert seat.messages() == ["o"]


async def test_a_key_does_not_answer_a_question_that_has_just_appeared(seat: Seat) -> None:
    await ask_question(seat, is_read=False)

    seat.type(f"no way{ENTER}")
    await seat.server.until_asked("/api/chat/start", times=2)

    assert seat.messages() == ["hello", "no way"]
    assert seat.server.carried("/api/approval/respond") == []


async def test_a_key_inside_a_line_is_a_letter_and_a_word_answers(seat: Seat) -> None:
    await ask_question(seat)

    seat.type(f" yes{ENTER}")
    await seat.server.until_asked("/api/approval/respond")

    assert [body["choice"] for body in seat.server.carried("/api/approval/respond")] == ["once"]


async def test_an_answer_that_was_refused_says_why(seat: Seat) -> None:
    await ask_question(seat)
    seat.server.faults["/api/approval/respond"] = [RequestRefused(409, {"message": "Another one answered."})]

    seat.type("y")

    await seat.see("Another one answered.")


async def test_a_session_is_shown_before_the_first_line(
    server: ChatServer, heir: Heir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seated(server, heir, tmp_path, monkeypatch, "ses_01aaaaaa", "openai:x") as seat:
        assert "This is Tidy up (aaaaaa)." in seat.seen
        assert "openai:x answers from now on." in seat.seen
        assert "/help shows what" not in seat.seen


async def test_news_of_other_sessions_are_shown(seat: Seat) -> None:
    news = {"session_id": "ses_01bbbbbb", "title": "Other", "kind": "turn_failed", "outcome": "No.", "command": ""}

    seat.server.send("news", news, "news")

    await seat.see("A turn failed in “Other” (/resume bbbbbb): No.")


async def test_the_status_line_says_when_the_server_is_gone(
    server: ChatServer, heir: Heir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "_SECONDS", 0.01)
    server.faults["/health"] = [ServerGone() for _ in range(100)]

    async with seated(server, heir, tmp_path, monkeypatch) as seat:
        await seat.see("○ reconnecting")


@pytest.mark.parametrize(
    ("outcomes", "is_said"), [([True], True), ([False], False), ([StoreError("It is held."), True], True)]
)
async def test_a_line_that_finds_no_server_for_a_while_lets_the_chat_take_over(
    seat: Seat,
    heir: Heir,
    monkeypatch: pytest.MonkeyPatch,
    outcomes: list[Any],
    is_said: bool,
) -> None:
    monkeypatch.setattr(talking, "_RETRY_SECONDS", 0.001)
    monkeypatch.setattr(terminal_chat, "_PATIENCE_SECONDS", 0.0)
    heir.outcomes = list(outcomes)
    seat.server.faults["/api/session/new"] = [ServerGone() for _ in outcomes]

    seat.type(f"hello{ENTER}")
    await seat.server.until_asked("/api/chat/start")

    assert heir.outcomes == []
    if is_said:
        await seat.see("The server is gone: this chat serves the session from now on.")
    else:
        assert "this chat serves" not in seat.seen


async def test_a_server_that_is_gone_for_a_moment_is_not_replaced(
    seat: Seat, heir: Heir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talking, "_RETRY_SECONDS", 0.001)
    seat.server.faults["/api/session/new"] = [ServerGone()]

    seat.type(f"hello{ENTER}")

    # An heir without outcomes would fail.
    await seat.server.until_asked("/api/chat/start")


@pytest.mark.parametrize("is_server", [True, False])
async def test_leaving_says_what_goes_on_and_how_to_come_back(seat: Seat, is_server: bool) -> None:
    seat.type(f"hello{ENTER}")
    await seat.server.until_asked("/api/chat/start")
    task = {"id": "proc_1", "command": "make\nall", "status": "running", "will_notify": True}
    done = task | {"id": "proc_2", "command": "old", "status": "exited"}
    times = {"started_at": "2026-01-01T00:00:00.000Z", "ended_at": None, "progress": None, "exit_code": None}
    seat.server.snapshot["tasks"] = [task | times, done | times]
    seat.server.send("server_turn_started", {"turn_id": "turn_1"})
    seat.server.send("turn_started", {"turn_id": "turn_1"})
    await seat.see("1 job")
    seat.type(CTRL_D)
    await seat.left()
    before = len(seat.seen)

    seat.chat.say_farewell(is_server=is_server)

    said = [line.strip() for line in seat.seen[before:].splitlines() if line.strip()]
    runs = ["· make all goes on running; its end is reported at the next start."] if is_server else []
    where = "at the next start" if is_server else "on the server"
    assert said == [*runs, f"· The answer goes on {where}.", "· To come back: wakeful chat --resume aaaaaa"]


async def test_leaving_before_anything_was_said_says_nothing(seat: Seat) -> None:
    seat.type(CTRL_D)
    await seat.left()
    before = len(seat.seen)

    seat.chat.say_farewell(is_server=True)

    assert seat.seen[before:].strip() == ""


async def test_what_was_typed_is_kept_and_the_names_of_commands_are_completed(seat: Seat, tmp_path: Path) -> None:
    seat.type(f"hello{ENTER}")
    await seat.server.until_asked("/api/chat/start")
    seat.type(f"/he\t{ENTER}")

    await seat.see("What you can type:")
    assert "hello" in (tmp_path / "chat_history").read_text()
