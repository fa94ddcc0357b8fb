"""The chat without a terminal: each line of input is a message, and each answer is plain text."""

import asyncio
import sys

from wakeful.cli.chat.commands import choice_in, parse_line
from wakeful.cli.chat.input_lines import InputLines
from wakeful.cli.chat.screens.plain_screen import PlainScreen
from wakeful.cli.chat.talk import Talk
from wakeful.cli.client import Client


class PipedChat:
    def __init__(self, client: Client, *, model: str, workspace: str) -> None:
        self._talk = Talk(client, PlainScreen(sys.stdout), model=model, workspace=workspace)
        self._standing = self._talk.standing
        self._session = self._talk.session
        self._input = InputLines()

    async def run(self, resume: str | None, model: str, wait: float) -> int:
        """Send every line of standard input, then wait until all work has ended. Return the exit code."""
        try:
            if resume is not None:
                await self._talk.resume(resume, model)
            await self._take_lines()
            async with asyncio.timeout(wait):
                await self._settle()
        except TimeoutError:
            print(f"wakeful: what was started did not end within {wait:g} s.", file=sys.stderr)
            return 1
        finally:
            await self._session.leave()
        return 1 if self._session.has_failed_turns else 0

    async def _take_lines(self) -> None:
        while line := await self._input.next():
            parsed = parse_line(line)
            if parsed is not None and parsed.name == "quit":
                return
            turn_id = await self._talk.take(line, self._asked())
            if turn_id is not None:
                await self._until_answered(turn_id)

    async def _until_answered(self, turn_id: str) -> None:
        while True:
            self._session.has_changed.clear()
            if self._session.has_ended(turn_id):
                return
            await self._next_change()

    async def _settle(self) -> None:
        """Wait until the session is idle and nothing is left to wake it."""
        while self._standing.session_id:
            self._session.has_changed.clear()
            await self._session.look()
            if not self._standing.is_busy and not self._standing.queued and not self._standing.has_promises:
                return
            await self._next_change()

    async def _next_change(self) -> None:
        """Wait for the next change. A question is answered by the next line; any other line, or the end of the input,
        denies it.
        """
        if asked := self._asked():
            line = await self._input.next()
            await self._talk.take(line if _is_answer(line) else "deny", asked)
        await self._session.has_changed.wait()
        self._session.check()

    def _asked(self) -> str | None:
        return None if self._standing.question is None else str(self._standing.question["call_id"])


def _is_answer(line: str) -> bool:
    parsed = parse_line(line)
    return choice_in(line) is not None or (parsed is not None and parsed.name == "allow" and bool(parsed.text))
