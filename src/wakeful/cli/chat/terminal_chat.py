"""The chat at a terminal: a prompt that stays usable while the agent works."""

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
# So long a server may take to come back before the chat takes its place.
_PATIENCE_SECONDS = 5.0
# So long a question has to be on the screen before a single key answers it.
_READING_SECONDS = 0.7
_ANSWERS = {"y": "once", "n": "deny"}
_PROMPT = f"{USER_MARK} "


class TerminalChat:
    def __init__(
        self, client: Client, successor: Successor, *, home: Path, model: str, shown_model: str, workspace: str
    ) -> None:
        """`model` is the one that was asked for; empty: whichever the server has, which is `shown_model` if known."""
        self._client = client
        self._successor = successor
        # With the call whose question was shown when it was typed.
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
        """Until the person leaves. `resume` is the session to begin with, and `model` who is to answer there, if it
        shall be another; None: a new one."""
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
        """What goes on, and what waits: where the chat is the server itself, nobody watches after it has ended."""
        standing = self._talk.standing
        if not standing.session_id:
            return
        for task in standing.running_tasks if is_server else []:
            self._screen.show(
                remark(f"{one_line(task['command'])} goes on running; its end is told at the next start.")
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
        """Only when something was typed: a chat that nobody looks at must not stand in the way of a server that is
        started again."""
        if seconds < _PATIENCE_SECONDS:
            return
        try:
            has_started = await self._successor.start()
        except StoreError as error:
            # The one before is half alive: it is tried again, as long as the line waits.
            logger.info("the place of the server could not be taken: %s", error)
            return
        if has_started:
            self._screen.show(remark("Nobody serves this session any more: this chat does so from now on."))

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
        """In an empty line, and not in the moment when the question has just come: then the key is the beginning of
        what the person was about to say.
        """
        is_read = monotonic() - self._talk.standing.asked_at > _READING_SECONDS
        return self._asked is not None and is_read and not self._screen.typed

    def _is_rest_of_answer(self, text: str) -> bool:
        """The first letter of a typed yes has answered already; the rest of the word is no message."""
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
