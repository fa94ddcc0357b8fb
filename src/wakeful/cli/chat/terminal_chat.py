"""The chat on a terminal, with a prompt that stays usable while the agent works."""

import asyncio
import logging
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from wakeful.cli.chat.cards.card import USER_MARK, failure, remark
from wakeful.cli.chat.commands import COMMANDS, parse_line
from wakeful.cli.chat.elsewhere import follow_elsewhere
from wakeful.cli.chat.history import open_history
from wakeful.cli.chat.probe import keep_probing
from wakeful.cli.chat.screens.terminal_screen import TerminalScreen
from wakeful.cli.chat.successor import Successor
from wakeful.cli.chat.talk import Talk
from wakeful.cli.client import Client
from wakeful.cli.lists.short_id import short_id
from wakeful.cli.plain_text import one_line
from wakeful.errors import StoreError, WakefulError

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

logger = logging.getLogger(__name__)

_TWICE_SECONDS = 2.0
# How long a server may be gone before the chat replaces it.
_PATIENCE_SECONDS = 5.0
# How long a question has to be on the screen before a single key answers it.
_READING_SECONDS = 0.7
_ANSWERS = {"y": "once", "n": "deny"}
_PROMPT = f"{USER_MARK} "


class TerminalChat:
    def __init__(
        self, client: Client, successor: Successor, *, home: Path, model: str, shown_model: str, workspace: str
    ) -> None:
        """`model` is the one that the user asked for, empty for the server's, which is `shown_model` if known."""
        self._client = client
        self._successor = successor
        # Typed lines, each with the call whose question was shown at that moment.
        self._lines: asyncio.Queue[tuple[str, str | None]] = asyncio.Queue()
        self._interrupted_at = -_TWICE_SECONDS
        self._answered_at = -_TWICE_SECONDS
        self._screen = TerminalScreen(
            prompt=_PROMPT,
            keys=self._keys(),
            accept=self._accept,
            history=open_history(home),
            completer=_completer(),
        )
        self._talk = Talk(
            client,
            self._screen,
            model=model,
            workspace=workspace,
            on_change=self._screen.change,
            on_silence=self._go_on_without,
        )
        self._screen.standing = self._talk.standing
        self._talk.standing.model = shown_model

    async def run(self, resume: str | None, model: str) -> int:
        """Run until the user leaves. `resume` is the session to continue, None for a new one; `model`, if not empty, is
        the model to switch it to.
        """
        if resume is not None:
            await self._talk.resume(resume, model)
        else:
            self._screen.show(remark("/help shows what you can type."))
        try:
            async with asyncio.TaskGroup() as group:
                probing = keep_probing(self._client, self._talk.standing, self._screen.change)
                elsewhere = follow_elsewhere(self._client, self._talk.standing, self._screen.show)
                jobs = [group.create_task(work) for work in (self._take_lines(), probing, elsewhere)]
                await self._screen.run()
                for job in jobs:
                    job.cancel()
        finally:
            await self._talk.session.leave()
        return 0

    def say_farewell(self, *, is_server: bool) -> None:
        """Say what continues. If this chat is the server, everything waits for the next start."""
        standing = self._talk.standing
        if not standing.session_id:
            return
        for task in standing.running_tasks if is_server else []:
            self._screen.show(
                remark(f"{one_line(task['command'])} goes on running; its end is reported at the next start.")
            )
        if standing.is_busy:
            where = "at the next start" if is_server else "on the server"
            self._screen.show(remark(f"The answer goes on {where}."))
        self._screen.show(remark(f"To come back: wakeful chat --resume {short_id(standing.session_id)}"))
        self._screen.print_final()

    def _accept(self, text: str) -> None:
        line = parse_line(text)
        if line is None or self._is_rest_of_answer(text):
            return
        if line.name == "quit":
            self._screen.end()
            return
        self._talk.standing.unsent.append(text)
        self._screen.change()
        self._lines.put_nowait((text, self._asked))

    async def _take_lines(self) -> None:
        while True:
            text, asked = await self._lines.get()
            try:
                await self._talk.take(text, asked)
            finally:
                self._talk.standing.unsent.remove(text)
                self._screen.change()

    async def _go_on_without(self, seconds: float) -> None:
        """Replace a server that has been gone for a while. Called only for a typed line: an unattended chat must not
        get in the way of a server that is being restarted.
        """
        if seconds < _PATIENCE_SECONDS:
            return
        try:
            has_started = await self._successor.start()
        except StoreError as error:
            # The old server still holds the database. The next retry of the line calls this again.
            logger.info("the server could not be replaced yet: %s", error)
            return
        if has_started:
            self._screen.show(remark("The server is gone: this chat serves the session from now on."))

    def _keys(self) -> "KeyBindings":
        from prompt_toolkit.filters import Condition
        from prompt_toolkit.key_binding import KeyBindings

        keys = KeyBindings()
        keys.add("c-c", eager=True)(lambda event: self._interrupt())
        keys.add("escape", "enter")(lambda event: event.current_buffer.insert_text("\n"))

        @keys.add("c-d", eager=True)
        def leave(event: "KeyPressEvent") -> None:
            if self._screen.typed:
                event.current_buffer.delete()
            else:
                self._screen.end()

        can_answer = Condition(self._can_answer_by_key)
        for key, choice in _ANSWERS.items():
            keys.add(key, filter=can_answer)(lambda event, given=choice: self._answer(given))
        return keys

    @property
    def _asked(self) -> str | None:
        question = self._talk.standing.question
        return None if question is None else str(question["call_id"])

    def _can_answer_by_key(self) -> bool:
        """Whether y or n answers: in an empty line, and not right after the question appeared, when the user may have
        begun to type something else.
        """
        is_read = monotonic() - self._talk.standing.asked_at > _READING_SECONDS
        return self._asked is not None and is_read and not self._screen.typed

    def _is_rest_of_answer(self, text: str) -> bool:
        """Whether this is the rest of a typed "yes" or "no", whose first letter has already answered."""
        is_fresh = monotonic() - self._answered_at < _TWICE_SECONDS
        return is_fresh and text.strip().lower() in ("es", "o")

    def _answer(self, choice: str) -> None:
        if asked := self._asked:
            self._answered_at = monotonic()
            self._screen.app.create_background_task(self._send_answer(asked, choice))

    async def _send_answer(self, asked: str, choice: str) -> None:
        try:
            await self._talk.session.answer(asked, choice)
        except WakefulError as error:
            self._screen.show(failure(one_line(str(error))))

    def _interrupt(self) -> None:
        buffer = self._screen.app.current_buffer
        if self._talk.standing.is_busy:
            self._screen.app.create_background_task(self._stop())
        elif buffer.text:
            buffer.reset()
        elif monotonic() - self._interrupted_at < _TWICE_SECONDS:
            self._screen.end()
        else:
            self._interrupted_at = monotonic()
            self._screen.show(remark("Ctrl-C once more leaves, as Ctrl-D does."))

    async def _stop(self) -> None:
        try:
            await self._talk.session.stop()
        except WakefulError as error:
            self._screen.show(failure(one_line(str(error))))


def _completer() -> "Completer":
    from prompt_toolkit.completion import WordCompleter

    return WordCompleter([f"/{name}" for name in COMMANDS], sentence=True)
