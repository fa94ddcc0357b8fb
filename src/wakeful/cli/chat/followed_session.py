"""The session that the chat follows. Everything on the screen comes from its one stream, whichever client caused it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any

from wakeful.cli.chat.narrator import Narrator
from wakeful.cli.chat.standing import Standing
from wakeful.cli.client import Client, RequestRefused, ServerEvent, ServerGone
from wakeful.errors import WakefulError
from wakeful.model.event import FAILED, FINAL_KINDS, NOTICE
from wakeful.web.cursor import fact_of

_RECENT_MESSAGES = 12
# Notices of one turn arrive together: how long to wait for the next one.
_TOGETHER_SECONDS = 0.05
# Events after which the snapshot has news that the stream does not send.
_OUTDATING = frozenset(
    {
        "message_queued",
        "session-updated",
        "task_started",
        "process_complete",
        "watch_match",
        "turn_started",
        "turn_completed",
        "notice",
    }
)

logger = logging.getLogger(__name__)


class QuestionGone(WakefulError):
    """The question on your screen was answered meanwhile or has expired; your answer had no effect."""


class FollowedSession:
    def __init__(self, client: Client, narrator: Narrator, standing: Standing, on_change: Callable[[], None]) -> None:
        self._client = client
        self._narrator = narrator
        self._standing = standing
        self._on_change = on_change
        # Set after every event, for callers that wait for a state.
        self.has_changed = asyncio.Event()
        self.has_failed_turns = False
        self._ended_turns: set[str] = set()
        self._must_look = asyncio.Event()
        # The newest event that was shown, and the newest that is marked as read, which the browser shows, too.
        self._shown = 0
        self._marked = 0
        self._jobs: list[asyncio.Task[None]] = []

    async def begin(self, session_id: str) -> None:
        """Show the last messages of a session and follow it from there, without gaps or duplicates."""
        await self.leave()
        while True:
            snapshot = await self._client.get("/api/session", session_id=session_id, limit=_RECENT_MESSAGES)
            stream = self._stream(snapshot)
            first = await anext(stream)
            if _active_turn(first.data) == _active_turn(snapshot) or not snapshot["active"]:
                break
            # The snapshot's active turn has ended meanwhile.
            await stream.aclose()
        self._standing.begin(session_id, snapshot["session"]["model"])
        self._standing.learn(snapshot)
        self._recall(snapshot)
        self._shown = self._marked = 0
        self._hear(first)
        self._must_look.set()
        self._jobs = [
            asyncio.create_task(self._follow(stream), name="session stream"),
            asyncio.create_task(self._keep_looking(), name="session snapshots"),
            asyncio.create_task(self._follow_work(session_id), name="work of sub-agents"),
        ]

    async def leave(self) -> None:
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        self._jobs = []
        self._narrator.forget()

    async def say(self, text: str, message_id: str, if_busy: str, attachments: Sequence[str] = ()) -> str:
        """Send a message and return the id of its turn. Sent again with the same id, it is the same message."""
        session_id = self._standing.session_id
        body: dict[str, Any] = {"session_id": session_id, "message": text, "client_message_id": message_id}
        body |= {"if_busy": if_busy} | ({"attachments": list(attachments)} if attachments else {})
        receipt = await self._client.post("/api/chat/start", body)
        turn_id: str = receipt["turn_id"]
        return turn_id

    async def stop(self) -> bool:
        answer = await self._client.post("/api/chat/cancel", {"session_id": self._standing.session_id})
        return bool(answer["cancelled"])

    async def answer(self, call_id: str, choice: str) -> None:
        """Answer the question that was shown. Raises QuestionGone if it is not the current one any more."""
        if self._standing.question is None or self._standing.question["call_id"] != call_id:
            raise QuestionGone
        body = {"session_id": self._standing.session_id, "call_id": call_id, "choice": choice}
        try:
            await self._client.post("/api/approval/respond", body)
        except RequestRefused as refused:
            if refused.status in (404, 409):
                # Another client answered first, or the question has expired.
                self._standing.approvals.pop(call_id, None)
                self._narrator.show_question()
            raise

    async def look(self) -> None:
        """Fetch the snapshot, for what the stream does not send."""
        asked = tuple(self._standing.approvals)
        snapshot = await self._client.get("/api/session", session_id=self._standing.session_id, limit=1)
        self._standing.learn(snapshot, asked)
        self._narrator.show_question()
        self._narrator.show_work()
        self._on_change()

    def has_ended(self, turn_id: str) -> bool:
        """Whether this turn is over, or its message joined another turn."""
        return turn_id in self._ended_turns

    def check(self) -> None:
        """Raise the error that stopped the stream or the snapshots, if any."""
        for job in self._jobs:
            if job.done():
                job.result()

    def _stream(self, snapshot: dict[str, Any]) -> AsyncGenerator[ServerEvent, None]:
        # An active turn is streamed from its beginning: the messages contain only its finished steps.
        after = "" if snapshot["active"] else snapshot["cursor"]
        session_id = snapshot["session"]["session_id"]
        return self._client.events("/api/session/stream", after=after, session_id=session_id, turns="inline")

    def _recall(self, snapshot: dict[str, Any]) -> None:
        active = _active_turn(snapshot)
        changes = _model_changes(snapshot)
        for message in snapshot["messages"]:
            if message["turn_id"] != active:
                for change in changes.pop(message["id"].rpartition(".")[0], []):
                    self._narrator.show_frame("model_changed", change)
                self._narrator.recall(message)
        self._narrator.end_wakes()

    async def _follow(self, stream: AsyncGenerator[ServerEvent, None]) -> None:
        try:
            async with aclosing(stream):
                async for event in stream:
                    self._hear(event)
        except WakefulError as error:
            self._narrator.lose(error)
            raise
        except OSError:
            # The screen is gone, as after `| head`.
            raise
        except Exception:
            logger.exception("an event of the session's stream could not be shown")
            raise
        finally:
            self._notify()

    async def _follow_work(self, session_id: str) -> None:
        """Show what the session's sub-agents do."""
        try:
            async with aclosing(self._client.events("/api/stream", sessions=session_id, work="1")) as events:
                async for event in events:
                    if event.name == "work":
                        self._standing.works = event.data["works"]
                        self._narrator.show_work()
        except WakefulError as error:
            # The session works without it.
            logger.warning("sub-agents cannot be followed: %s", error)

    def _hear(self, event: ServerEvent) -> None:
        # The narrator first: what it shows for a task depends on the state before this event.
        self._narrator.show_frame(event.name, event.data)
        if event.name == NOTICE:
            asyncio.get_running_loop().call_later(_TOGETHER_SECONDS, self._narrator.end_wakes)
        self._standing.hear(event.name, event.data)
        self._narrator.show_question()
        self._standing.is_live = True
        self._shown = fact_of(event.id)
        if event.name in FINAL_KINDS:
            self._ended_turns.add(event.data["turn_id"])
            self.has_failed_turns |= event.name == FAILED
        if event.name in _OUTDATING:
            self._must_look.set()
        self._notify()

    async def _keep_looking(self) -> None:
        while True:
            await self._must_look.wait()
            self._must_look.clear()
            try:
                await self.look()
                self.has_changed.set()
                await self._mark_as_read()
            except (ServerGone, RequestRefused) as error:
                # The stream reconnects by itself, and its first event asks for the snapshot again.
                logger.info("the session's snapshot could not be fetched: %s", error)

    async def _mark_as_read(self) -> None:
        """Mark the session as read, as the page does: not during an answer, which the user has seen only in part."""
        shown = self._shown
        if self._standing.is_busy or shown <= self._marked:
            return
        await self._client.post("/api/session/seen", {"session_id": self._standing.session_id, "event_id": shown})
        self._marked = shown

    def _notify(self) -> None:
        self.has_changed.set()
        self._on_change()


def _model_changes(snapshot: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return which models answered instead of others, by turn and step, as the ids of messages begin."""
    changes: dict[str, list[dict[str, Any]]] = {}
    for turn_id, turn in snapshot["turns"].items():
        for change in turn["model_changes"]:
            changes.setdefault(f"{turn_id}.{change['step']}", []).append(change)
    return changes


def _active_turn(data: dict[str, Any]) -> str | None:
    return data["active"]["turn_id"] if data["active"] else None
