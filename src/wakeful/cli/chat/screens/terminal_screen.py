"""The screen of a terminal: final text scrolls away above the prompt, the draft stays just above it."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.key_binding import KeyBindingsBase
from prompt_toolkit.layout import FormattedTextControl, HSplit, Window
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style

from wakeful.cli.chat.cards.card import Card
from wakeful.cli.chat.screens.draft_view import draft_lines
from wakeful.cli.chat.screens.painter import Painter
from wakeful.cli.chat.screens.screen import AnswerDraft
from wakeful.cli.chat.screens.status_line import joined, status_line
from wakeful.cli.chat.standing import Standing

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.history import History

_STYLE = Style.from_dict({"status": "ansibrightblack", "prompt": "ansicyan bold"})
# The shortest time between two repaints of the draft.
_FRAME_SECONDS = 0.05
_TICK_SECONDS = 1.0
_MOST_LINES = 14
# Synchronized output: terminals that support it show no intermediate state; others ignore it.
_HOLD, _RELEASE = "\x1b[?2026h", "\x1b[?2026l"


class TerminalScreen:
    def __init__(
        self,
        *,
        prompt: str,
        keys: KeyBindingsBase,
        accept: Callable[[str], None],
        history: "History | None" = None,
        completer: "Completer | None" = None,
    ) -> None:
        self.standing = Standing()
        self._prompt = prompt
        self._draft = AnswerDraft()
        self._work: Mapping[str, str] = {}
        self._final: list[str] = []
        self._painter = Painter(80)
        # The painted lines above the prompt; None if they have to be painted again.
        self._painted: StyleAndTextTuples | None = None
        self._is_due = False
        self._session: PromptSession[str] = PromptSession(
            self._message,
            # Aligns the further lines of a message with its first one.
            prompt_continuation="  ",
            key_bindings=keys,
            history=history,
            completer=completer,
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            style=_STYLE,
            erase_when_done=True,
            output=_output(),
        )
        self._add_status_line()
        self._accept_with(accept)

    @property
    def app(self) -> "Application[Any]":
        return self._session.app

    @property
    def typed(self) -> str:
        return self._session.default_buffer.text

    async def run(self) -> None:
        """Show the prompt until `end`."""
        ticking = asyncio.create_task(self._tick(), name="status line")
        try:
            await self._session.prompt_async(pre_run=self.print_final, handle_sigint=False)
        except EOFError:
            # The terminal is gone.
            pass
        finally:
            ticking.cancel()
            await asyncio.gather(ticking, return_exceptions=True)
            self._release()
            self.print_final()

    def end(self) -> None:
        if self.app.is_running and not self.app.is_done:
            self.app.exit()

    def show(self, card: Card) -> None:
        self._add(self._fitted().card(card))

    def show_answer(self, block: str) -> None:
        self._add(self._fitted().answer(block))

    def change_draft(self, draft: AnswerDraft) -> None:
        self._draft = draft
        self.change()

    def change_work(self, lines: Mapping[str, str]) -> None:
        self._work = lines
        self.change()

    def change(self) -> None:
        """Schedule a repaint; changes within one frame share it."""
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(_FRAME_SECONDS, self._paint)

    def print_final(self) -> None:
        """Print what was shown and has not reached the terminal yet."""
        text = "".join(f"{painted}\n" for painted in self._final)
        self._final = []
        if not text:
            return
        output, renderer = self.app.output, self.app.renderer
        if not self.app.is_running or self.app.is_done:
            output.write_raw(text)
            output.flush()
            return
        self._hold()
        renderer.erase()
        output.write_raw(text)
        output.flush()
        self.app.invalidate()

    def _add_status_line(self) -> None:
        """Add the line below the prompt. prompt_toolkit's own toolbar stays hidden until the terminal has reported its
        cursor position, which takes a round trip.
        """
        line = Window(FormattedTextControl(self._status), height=1, dont_extend_height=True, style="class:status")
        container = self._session.layout.container
        assert isinstance(container, HSplit)
        container.children.append(line)

    def _accept_with(self, accept: Callable[[str], None]) -> None:
        """Handle a line without ending the prompt, so that nothing flickers."""

        def handle(buffer: Any) -> bool:
            accept(buffer.text)
            return False

        self._session.default_buffer.accept_handler = handle

    def _add(self, painted: str) -> None:
        self._final.append(painted)
        self._painted = None
        # Printed together with the other cards of this iteration, and before the draft is repainted without them.
        if len(self._final) == 1:
            asyncio.get_running_loop().call_soon(self.print_final)

    def _hold(self) -> None:
        """Stop the terminal from showing the erased screen until the next repaint."""
        self.app.output.write_raw(_HOLD)
        asyncio.get_running_loop().call_later(_FRAME_SECONDS, self._release)

    def _release(self) -> None:
        self.app.output.write_raw(_RELEASE)
        self.app.output.flush()

    def _paint(self) -> None:
        self._is_due = False
        height = self._height()
        self._painted = None
        if self._height() < height and self.app.is_running:
            # A lower prompt would leave empty lines behind.
            self._hold()
            self.app.renderer.erase()
        self.app.invalidate()

    def _height(self) -> int:
        return sum(text.count("\n") for _, text, *_ in self._message())

    async def _tick(self) -> None:
        """Keep the displayed durations running."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            if self.standing.is_busy or self.standing.running_tasks:
                self._paint()

    def _message(self) -> StyleAndTextTuples:
        # First, because another width takes back what was painted.
        painter = self._fitted()
        if self._painted is None:
            rows = self.app.output.get_size().rows
            height = max(1, min(_MOST_LINES, rows // 2))
            lines = draft_lines(painter, self._draft, self._work.values(), self.standing, height)
            above = "".join(f"{line}\n" for line in lines) + ("\n" if lines else "")
            self._painted = [*to_formatted_text(ANSI(above)), ("class:prompt", self._prompt)]
        return self._painted

    def _status(self) -> StyleAndTextTuples:
        return list(joined(status_line(self.standing, self._fitted().width)))

    def _fitted(self) -> Painter:
        # One column stays free: some terminals wrap a line that fills the last one.
        width = max(10, self.app.output.get_size().columns - 1)
        if self._painter.width != width:
            self._painter = Painter(width)
            self._painted = None
        return self._painter


def _output() -> Output:
    output = create_output()
    if isinstance(output, Vt100_Output):
        # Nothing here needs the cursor position.
        output.enable_cpr = False
    return output
