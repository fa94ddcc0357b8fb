"""Carries out typed lines, both on a terminal and in a pipe."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

from wakeful.cli.chat.cards.card import Card, Tone, failure, remark
from wakeful.cli.chat.cards.context_cards import usage_card
from wakeful.cli.chat.cards.question_card import whole_question_card
from wakeful.cli.chat.cards.skills_card import skills_card
from wakeful.cli.chat.cards.undo_card import undo_card
from wakeful.cli.chat.commands import Line, LineKind, choice_in, help_lines, mode_lines, parse_line
from wakeful.cli.chat.enclosures import Enclosures
from wakeful.cli.chat.followed_session import FollowedSession
from wakeful.cli.chat.narrator import Narrator
from wakeful.cli.chat.screens.screen import Screen
from wakeful.cli.chat.standing import Standing
from wakeful.cli.client import Client, RequestRefused, ServerGone
from wakeful.cli.lists.mcp_list import mcp_lines
from wakeful.cli.lists.session_list import find_session, numbered_lines, recent_sessions
from wakeful.cli.lists.short_id import short_id
from wakeful.cli.lists.task_list import short_task_lines
from wakeful.cli.plain_text import harmless, one_line
from wakeful.errors import SessionNotFound, WakefulError
from wakeful.model.approvals.mode import Mode
from wakeful.model.ids import new_id

_RECENT = 15
_LONGER = ("session", "folder")
_RETRY_SECONDS = 0.5
# How long a line waits for a server that does not answer.
_PATIENCE_SECONDS = 60.0


class Talk:
    def __init__(
        self,
        client: Client,
        screen: Screen,
        *,
        model: str,
        workspace: str,
        on_change: Callable[[], None] = lambda: None,
        on_silence: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        """`on_silence` is called with the seconds for which the server has not answered, and may replace the server."""
        self._client = client
        self._screen = screen
        self._model = model
        # Chosen before there is a session: the next one begins with it.
        self._mode = ""
        self._workspace = workspace
        self._on_silence = on_silence
        self.standing = Standing(model=model)
        self.session = FollowedSession(client, Narrator(screen, self.standing), self.standing, on_change)
        self._enclosures = Enclosures(client)
        # The sessions of the last list, which /resume takes by number.
        self._listed: list[str] = []
        # The question that was shown when the current line was typed.
        self._asked: str | None = None
        self._commands = self._command_table()

    def _command_table(self) -> dict[str, Callable[[str], Awaitable[None]]]:
        return {
            "new": self._new,
            "resume": self._resume,
            "branch": self._branch,
            "tasks": self._tasks,
            "allow": self._allow,
            "stop": self._stop,
            "undo": self._undo,
            "compact": self._compact,
            "usage": self._usage,
            "mcp": self._mcp,
            "attach": self._attach,
            "skills": self._skills,
            "model": self._choose_model,
            "mode": self._choose_mode,
            "help": self._help,
        }

    async def take(self, text: str, asked: str | None = None) -> str | None:
        """Carry out a line; return the id of its turn if it is a message. `asked` is the call whose question was shown
        when the line was typed, if any: an answer is for that question only.
        """
        self._asked = asked
        # The id makes retries safe: the server takes the message once.
        message_id = new_id("msg")
        began = monotonic()
        while True:
            try:
                return await self._carry_out(text, message_id)
            except WakefulError as error:
                if not _may_pass(error) or monotonic() - began > _PATIENCE_SECONDS:
                    self._screen.show(failure(one_line(str(error))))
                    return None
            await asyncio.sleep(_RETRY_SECONDS)
            if self._on_silence is not None:
                await self._on_silence(monotonic() - began)

    async def resume(self, name: str, model: str = "") -> None:
        """Continue the session with this id or unique part of an id; an empty name means the newest session."""
        if name:
            session_id = await find_session(self._client, name)
        else:
            newest = await recent_sessions(self._client, 1)
            if not newest:
                raise SessionNotFound("There is no session yet to continue.")
            session_id = newest[0]["session_id"]
        await self._go_to(session_id)
        if model:
            await self._choose_model(model)

    async def _carry_out(self, text: str, message_id: str) -> str | None:
        choice = choice_in(text) if self._asked is not None else None
        line = parse_line(text)
        if choice is not None and self._asked is not None:
            await self.session.answer(self._asked, choice)
        elif line is not None and line.kind is LineKind.COMMAND:
            await self._command(line)
        elif line is not None:
            return await self._say(line.text, message_id, "steer" if line.kind is LineKind.STEER else "queue")
        return None

    async def _say(self, text: str, message_id: str, if_busy: str) -> str:
        if not self.standing.session_id:
            await self._begin_session()
        enclosed = self._enclosures.ids
        turn_id = await self.session.say(text, message_id, if_busy, enclosed)
        self._enclosures.forget(enclosed)
        return turn_id

    async def _attach(self, argument: str) -> None:
        self._screen.show(await self._enclosures.attach(argument, self.standing.session_id))

    async def _command(self, line: Line) -> None:
        if line.name in self._commands:
            await self._commands[line.name](line.text)
        elif line.name == "steer":
            self._screen.show(failure("Say with what: /steer words"))
        else:
            self._screen.show(failure(f"There is no command /{line.name}. /help shows all of them."))

    async def _begin_session(self) -> None:
        chosen = {"model": self._model, "mode": self._mode}
        body = {"workspace": self._workspace} | {name: value for name, value in chosen.items() if value}
        session = await self._client.post("/api/session/new", body)
        await self.session.begin(session["session_id"])

    async def _go_to(self, session_id: str) -> None:
        await self.session.begin(session_id)
        title = one_line(self.standing.title) or "a session without a title"
        self._screen.show(remark(f"This is {title} ({short_id(session_id)})."))

    async def _new(self, argument: str) -> None:
        await self.session.leave()
        left = self.standing.session_id
        self.standing.begin("", self._model or self.standing.model)
        self._screen.show(remark("A new session begins with your next message."))
        if left:
            self._screen.show(remark(f"The one before goes on by itself: /resume {short_id(left)}"))

    async def _resume(self, argument: str) -> None:
        if not argument:
            await self._list_sessions()
        elif argument.isdecimal() and 0 < int(argument) <= len(self._listed):
            await self._go_to(self._listed[int(argument) - 1])
        else:
            await self.resume(argument)

    async def _list_sessions(self) -> None:
        sessions = await recent_sessions(self._client, _RECENT)
        self._listed = [session["session_id"] for session in sessions]
        if not sessions:
            self._screen.show(remark("There are no sessions yet."))
            return
        lines = numbered_lines(sessions)
        self._screen.show(Card(Tone.QUIET, "/resume with a number goes on with one of these:", lines=tuple(lines)))

    async def _branch(self, argument: str) -> None:
        if not self.standing.session_id:
            self._screen.show(failure("There is nothing to branch from yet."))
            return
        branch = await self._client.post("/api/session/branch", {"session_id": self.standing.session_id})
        await self._go_to(branch["session_id"])

    async def _tasks(self, argument: str) -> None:
        if self.standing.session_id:
            await self.session.look()
        lines = short_task_lines(self.standing.tasks)
        title = "The background work of this session:" if lines else "This session has started no background work."
        self._screen.show(Card(Tone.QUIET, title, lines=tuple(lines)))

    async def _allow(self, argument: str) -> None:
        question = self.standing.question
        if self._asked is None or question is None:
            self._screen.show(remark("There is no question to answer."))
        elif not argument:
            self._screen.show(whole_question_card(question))
        elif argument in _LONGER:
            await self.session.answer(self._asked, argument)
        else:
            self._screen.show(failure("Say for how long: /allow session or /allow folder"))

    async def _stop(self, argument: str) -> None:
        if not self.standing.session_id or not await self.session.stop():
            self._screen.show(remark("There is nothing to stop."))

    async def _undo(self, argument: str) -> None:
        if argument not in ("", "force"):
            self._screen.show(failure("Say /undo, or /undo force for files that were changed since."))
        elif not self.standing.session_id:
            self._screen.show(remark("There is nothing to undo yet."))
        else:
            asked = {"session_id": self.standing.session_id, "force": argument == "force"}
            self._screen.show(undo_card(await self._client.post("/api/session/undo", asked)))

    async def _compact(self, focus: str) -> None:
        if not self.standing.session_id:
            self._screen.show(remark("There is nothing to sum up yet."))
            return
        asked = {"session_id": self.standing.session_id} | ({"focus": focus} if focus else {})
        # The stream of the session says when it begins and ends.
        await self._client.post("/api/session/compact", asked)

    async def _usage(self, argument: str) -> None:
        today = await self._client.get("/api/usage", days=1)
        if not self.standing.session_id:
            self._screen.show(usage_card(None, today))
            return
        snapshot = await self._client.get("/api/session", session_id=self.standing.session_id, limit=1)
        self._screen.show(usage_card(snapshot["session"]["usage"], today))

    async def _mcp(self, argument: str) -> None:
        lines = mcp_lines((await self._client.get("/api/mcp"))["servers"])
        title = "The MCP servers:" if lines else "No MCP server is set up: config.toml takes tables [mcp.NAME]."
        self._screen.show(Card(Tone.QUIET, title, lines=tuple(lines)))

    async def _skills(self, argument: str) -> None:
        query = {"session_id": self.standing.session_id} if self.standing.session_id else {}
        skills = (await self._client.get("/api/skills", **query))["skills"]
        self._screen.show(skills_card(skills))

    async def _choose_model(self, name: str) -> None:
        if not name:
            self._screen.show(remark(f"{harmless(self.standing.model) or 'The default model'} answers."))
            return
        if self.standing.session_id:
            await self._client.patch("/api/session", {"session_id": self.standing.session_id, "model": name})
        self._model = self.standing.model = name
        self._screen.show(remark(f"{one_line(name)} answers from now on."))

    async def _choose_mode(self, name: str) -> None:
        session_id = self.standing.session_id
        if not name:
            mode = self.standing.mode or self._mode or (await self._client.get("/api/me"))["mode"]
            self._screen.show(Card(Tone.QUIET, f"The mode is {mode}. /mode NAME chooses another:", lines=mode_lines()))
        elif name not in list(Mode):
            self._screen.show(failure(f"There is no mode {one_line(name)}: it is one of {', '.join(Mode)}."))
        else:
            if session_id:
                await self._client.patch("/api/session", {"session_id": session_id, "mode": name})
                self.standing.mode = name
            else:
                self._mode = name
            self._screen.show(remark(f"The mode is {name} from the next step on, also for sub-agents."))

    async def _help(self, argument: str) -> None:
        self._screen.show(Card(Tone.QUIET, "What you can type:", lines=tuple(help_lines()), is_prose=True))


def _may_pass(error: WakefulError) -> bool:
    """Whether a retry may succeed: the server is stopping or starting."""
    return isinstance(error, ServerGone) or (isinstance(error, RequestRefused) and error.status == 503)
