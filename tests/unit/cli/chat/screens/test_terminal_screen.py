"""The screen of a terminal: what reaches it, in which order, and how it is left."""

import asyncio
import io
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output.vt100 import Vt100_Output

from wakeful.cli.chat.cards.card import Card, Tone, remark
from wakeful.cli.chat.screens import terminal_screen
from wakeful.cli.chat.screens.draft_view import draft_lines
from wakeful.cli.chat.screens.screen import AnswerDraft
from wakeful.cli.chat.screens.terminal_screen import TerminalScreen
from wakeful.cli.plain_text import harmless

HOLD, RELEASE, ERASE = "\x1b[?2026h", "\x1b[?2026l", "\x1b[J"


class Display(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.rows, self.columns = 40, 80
        self.has_changed = asyncio.Event()

    def write(self, text: str) -> int:
        self.has_changed.set()
        return super().write(text)

    @property
    def shown(self) -> str:
        return harmless(self.getvalue())

    async def see(self, words: str) -> None:
        async with asyncio.timeout(10):
            while words not in self.shown:
                self.has_changed.clear()
                await self.has_changed.wait()


@pytest.fixture
async def display(monkeypatch: pytest.MonkeyPatch) -> Display:
    made = Display()
    output = Vt100_Output(made, lambda: Size(rows=made.rows, columns=made.columns), term="xterm")
    monkeypatch.setattr(terminal_screen, "create_output", lambda: output)
    return made


@pytest.fixture
def keys() -> Any:
    with create_pipe_input() as keys, create_app_session(input=keys):
        yield keys


@pytest.fixture
async def lines() -> list[str]:
    return []


@pytest.fixture
async def screen(display: Display, keys: PipeInput, lines: list[str]) -> TerminalScreen:
    return TerminalScreen(prompt="> ", keys=KeyBindings(), accept=lines.append)


@pytest.fixture
async def running(screen: TerminalScreen, display: Display) -> AsyncIterator["asyncio.Task[None]"]:
    task = asyncio.create_task(screen.run())
    await display.see("● live")
    yield task
    screen.end()
    await asyncio.wait_for(task, 10)


async def test_the_terminal_is_not_asked_for_the_cursor_position(screen: TerminalScreen) -> None:
    assert not screen.app.output.responds_to_cpr


async def test_what_is_shown_before_the_prompt_is_printed_first(
    screen: TerminalScreen, display: Display, keys: PipeInput
) -> None:
    screen.show(remark("first"))
    task = asyncio.create_task(screen.run())
    await display.see("● live")
    screen.end()
    await task

    assert display.shown.index("first") < display.shown.index("● live")


@pytest.mark.usefixtures("running")
async def test_cards_of_one_moment_are_printed_together_above_the_prompt(
    screen: TerminalScreen, display: Display
) -> None:
    before = len(display.getvalue())

    screen.show(Card(Tone.WAKE, "one", lines=("more",)))
    screen.show_answer("**two**")
    await display.see("two")

    written = display.getvalue()[before:]
    # The old prompt is erased and the new one painted while the terminal holds still.
    assert written.count(HOLD) == 1
    assert written.index(HOLD) < written.index(ERASE) < written.index("one")
    assert "◆ one\n  more\n\ntwo\n" in harmless(written)
    async with asyncio.timeout(10):
        while RELEASE not in display.getvalue()[before:]:
            display.has_changed.clear()
            await display.has_changed.wait()


@pytest.mark.usefixtures("running")
async def test_a_typed_line_is_accepted_and_the_prompt_stays(
    screen: TerminalScreen, keys: PipeInput, display: Display, lines: list[str]
) -> None:
    keys.send_text("hel")
    await display.see("hel")
    typed = screen.typed
    keys.send_text("lo\r")
    keys.send_text("1234")
    await display.see("1234")

    assert (typed, lines, screen.typed) == ("hel", ["hello"], "1234")
    assert screen.app.is_running


@pytest.mark.usefixtures("running")
async def test_a_draft_is_painted_and_taken_back(screen: TerminalScreen, display: Display) -> None:
    draft = AnswerDraft(text="Half an")
    screen.change_draft(draft)
    await display.see("Half an")
    draft.text = "Half an answer"
    screen.change_draft(draft)
    screen.change_work({"del_1": "↳ counts"})
    await display.see("answer")
    await display.see("↳ counts")
    before = len(display.getvalue())

    draft.text = ""
    screen.change_work({})

    async with asyncio.timeout(10):
        while ERASE not in display.getvalue()[before:]:
            display.has_changed.clear()
            await display.has_changed.wait()


@pytest.mark.usefixtures("running")
async def test_changes_of_one_frame_are_painted_once(screen: TerminalScreen, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[int] = []
    done = asyncio.Event()

    def counted(*how: Any) -> list[str]:
        painted.append(1)
        done.set()
        return draft_lines(*how)

    monkeypatch.setattr(terminal_screen, "draft_lines", counted)
    for _ in range(5):
        screen.change()
    await asyncio.wait_for(done.wait(), 10)
    await asyncio.sleep(0)
    first = len(painted)
    done.clear()
    screen.change()
    await asyncio.wait_for(done.wait(), 10)

    assert (first, len(painted)) == (1, 2)


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize(("rows", "first"), [(10, 25), (13, 24), (20, 20)])
async def test_a_draft_takes_at_most_half_of_the_terminal(
    screen: TerminalScreen, display: Display, rows: int, first: int
) -> None:
    display.rows = rows

    screen.change_draft(AnswerDraft(text="\n".join(f"line {number}" for number in range(30))))
    await display.see("line 29")

    assert f"line {first}" in display.shown
    assert f"line {first - 1}" not in display.shown


@pytest.mark.usefixtures("running")
async def test_a_tall_terminal_still_shows_only_the_end_of_a_draft(screen: TerminalScreen, display: Display) -> None:
    display.rows = 100

    screen.change_draft(AnswerDraft(text="\n".join(f"line {number}" for number in range(30))))
    await display.see("line 29")

    assert "line 16" in display.shown
    assert "line 15" not in display.shown


@pytest.mark.usefixtures("running")
async def test_a_draft_is_painted_again_for_another_width(screen: TerminalScreen, display: Display) -> None:
    screen.change_draft(AnswerDraft(text="wordlet " * 8))
    await display.see("wordlet wordlet")
    display.columns = 20
    before = len(display.getvalue())

    # As prompt_toolkit does when the size has changed.
    screen.app.renderer.erase()
    screen.app.invalidate()
    async with asyncio.timeout(10):
        while "wordlet" not in display.getvalue()[before:]:
            display.has_changed.clear()
            await display.has_changed.wait()

    # A terminal that wraps by itself would cut words.
    assert "wordlet wordlet\n" in harmless(display.getvalue()[before:])


@pytest.mark.usefixtures("running")
async def test_a_narrower_terminal_gets_narrower_lines(screen: TerminalScreen, display: Display) -> None:
    display.columns = 20
    before = len(display.shown)

    screen.show(remark("word " * 10))
    await display.see("word")

    lines = display.shown[before:].splitlines()
    assert max(len(line) for line in lines if "word" in line) <= 19


@pytest.mark.parametrize("is_busy", [True, False])
async def test_running_times_go_on(
    screen: TerminalScreen, display: Display, keys: PipeInput, monkeypatch: pytest.MonkeyPatch, is_busy: bool
) -> None:
    monkeypatch.setattr(terminal_screen, "_TICK_SECONDS", 0.01)
    task_of_screen = asyncio.create_task(screen.run())
    await display.see("● live")

    if is_busy:
        screen.standing.active_turn, screen.standing.active_since = "t", monotonic() - 83
    else:
        started = (datetime.now(UTC) - timedelta(seconds=83.2)).isoformat()
        task = {"id": "p", "command": "BUILD", "status": "running", "progress": None, "ended_at": None}
        screen.standing.tasks = [task | {"started_at": started}]

    # Only what differs from the line before is painted.
    await display.see("answering 1 min 23 s" if is_busy else "BUILD")
    screen.end()
    await task_of_screen


async def test_a_terminal_that_is_gone_ends_the_prompt(
    screen: TerminalScreen, display: Display, keys: PipeInput
) -> None:
    task = asyncio.create_task(screen.run())
    await display.see("● live")

    keys.close()

    await asyncio.wait_for(task, 10)
    assert not screen.app.is_running


async def test_what_was_shown_last_is_printed_after_the_end(
    screen: TerminalScreen, display: Display, running: "asyncio.Task[None]"
) -> None:
    screen.end()
    screen.end()
    screen.show(remark("last words"))
    await asyncio.wait_for(running, 10)

    assert "last words" in display.shown
    assert display.getvalue().rindex(RELEASE) > display.getvalue().index("● live")
    screen.show(remark("farewell"))
    screen.print_final()
    assert display.shown.endswith("· farewell\n\n")
