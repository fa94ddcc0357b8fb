"""The facts of a session's log as posts on its platform.

A page of events is read, its posts are written and the cursor moves on in one transaction: no crash loses a post or
makes a second one. What people are shown while an answer is written is added by `live.py`; the fact that ends the
answer brings those posts to their last form, because both use the same keys.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wakeful.gateway.messaging.outbox.lines import (
    STOPPED,
    call_line,
    notice_line,
    result_line,
    turn_failure_text,
    waiting_text,
)
from wakeful.gateway.messaging.settings import DoorSettings, ShownProgress
from wakeful.gateway.messaging.text.forms import FORMS
from wakeful.gateway.messaging.text.split import split
from wakeful.model import event as events
from wakeful.model.event import Event
from wakeful.model.inbox import RowKind
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Address, Session, WakeReason
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction

_PAGE = 200
# Between the numbers of two parts there is room for those that a platform's refusal makes of one.
PART_STEP = 1000
# What a message shows that nothing is left for: platforms refuse an empty one.
_NOTHING = "…"


class Projection:
    def __init__(self, doors: Mapping[str, DoorSettings]) -> None:
        self._doors = doors

    async def advance(self, tx: Transaction, session_id: str) -> bool:
        """Make posts of the next page of a session's events; true when there may be more pages."""
        session = await tx.sessions.get(session_id)
        if session is None or session.address.platform not in self._doors:
            return False
        after = await tx.outbox_cursors.hold(session_id)
        page = await tx.events.of_session(session_id, after, _PAGE)
        if not page:
            return False
        writer = PostWriter(tx, session, self._doors[session.address.platform])
        # A sub-agent's session has its parent's address; the parent speaks for it.
        if session.task_id is None:
            for event in page:
                await writer.write(event)
        await tx.outbox_cursors.put(session_id, page[-1].session_seq)
        return len(page) == _PAGE


class PostWriter:
    """Writes the posts of one session inside of a transaction."""

    def __init__(self, tx: Transaction, session: Session, settings: DoorSettings) -> None:
        self._tx = tx
        self._session = session
        self._settings = settings
        self._form = FORMS[session.address.platform]
        self._turns: dict[str, Turn | None] = {}

    async def write(self, event: Event) -> None:
        if event.kind in (events.APPROVAL_REQUIRED, events.APPROVAL_ANSWERED):
            await self._write_approval(event)
        elif event.kind == events.WAKE_WAITS:
            await self._write_waiting(event)
        elif event.turn_id is not None and (turn := await self._turn(event.turn_id)) is not None:
            await self._write_of_turn(event, turn)

    async def answer(self, turn: Turn, step: int, text: str) -> list[Post]:
        """Bring the posts of a step to these words, which may be all or the first of them."""
        lines = await self._notice_lines(turn, step)
        whole = "\n\n".join(part for part in ("\n".join(lines), text) if part.strip())
        return await self._put_parts(turn, PostKind.ANSWER, f"{turn.id}:{step}", whole) if whole else []

    async def _write_of_turn(self, event: Event, turn: Turn) -> None:
        if is_live(turn):
            if (step := _answered_step(event)) is not None:
                await self._write_answer(turn, step)
            await self._write_progress(event, turn)
        elif event.is_final:
            for entry in await self._answers(turn):
                await self.answer(turn, entry.step, entry.data["text"])
        if event.is_final:
            await self._write_end(event, turn)

    async def _write_answer(self, turn: Turn, step: int) -> None:
        entries = await self._tx.journal.of_step(turn.id, step)
        if entries and entries[0].kind in (EntryKind.ANSWER, EntryKind.CUT):
            await self.answer(turn, step, entries[0].data["text"])

    async def _answers(self, turn: Turn) -> list[Entry]:
        entries = await self._tx.journal.of_turns([turn.id])
        return [entry for entry in entries if entry.kind in (EntryKind.ANSWER, EntryKind.CUT)]

    async def _write_end(self, event: Event, turn: Turn) -> None:
        if event.kind == events.CANCELLED:
            await self._mark_stopped(turn)
        # A wake-up that is tried again says why it failed once.
        elif event.kind == events.FAILED and turn.attempt == 0:
            said = await self._tx.posts.of_turn(turn.id)
            lines = [] if any(post.kind is PostKind.ANSWER for post in said) else await self._notice_lines(turn, 1)
            text = turn_failure_text(event.data.get("code", ""), event.data.get("message", ""))
            whole = "\n\n".join(part for part in ("\n".join(lines), text) if part)
            await self._put_parts(turn, PostKind.ERROR, f"{turn.id}:end", whole)

    async def _mark_stopped(self, turn: Turn) -> None:
        answers = [post for post in await self._tx.posts.of_turn(turn.id) if post.kind is PostKind.ANSWER]
        if answers and not answers[-1].wanted.endswith(STOPPED):
            await self._tx.posts.put(replace(answers[-1], wanted=f"{answers[-1].wanted}\n\n{STOPPED}"))

    async def _write_progress(self, event: Event, turn: Turn) -> None:
        if event.kind not in (events.TOOL, events.TOOL_COMPLETE) or self._settings.progress is ShownProgress.OFF:
            return
        key = f"{turn.id}:progress:0"
        known = await self._tx.posts.keyed([key])
        calls: dict[str, str] = dict(known[0].details.get("calls", {})) if known else {}
        data = event.data
        if event.kind == events.TOOL:
            calls[data["call_id"]] = call_line(data["name"], data["arguments"])
        elif data["call_id"] in calls:
            calls[data["call_id"]] = result_line(calls[data["call_id"]], data["result"], self._settings.progress)
        text = "\n".join(calls.values())
        shown = split(text, self._form)[-1]
        await self._put(turn.id, await self._address(turn), PostKind.PROGRESS, key, shown, details={"calls": calls})

    async def _write_approval(self, event: Event) -> None:
        data = event.data
        key = f"{self._session.id}:approval:{data['call_id']}"
        if event.kind == events.APPROVAL_REQUIRED:
            turn = None if self._session.active is None else await self._turn(self._session.active)
            address = self._session.address if turn is None else await self._address(turn)
            block = f"```\n{data['command']}\n```"
            text = f"May I run this?\n{block}\nIt {data['reason']}."
            details = {"call_id": data["call_id"], "choices": data["choices"]}
            await self._put(self._session.active, address, PostKind.APPROVAL, key, text, details=details)
            return
        for post in await self._tx.posts.keyed([key]):
            if post.details.get("choices"):
                words = "Expired." if data["choice"] == "expired" else "Answered elsewhere."
                await self._tx.posts.put(replace(post, wanted=words, details=post.details | {"choices": []}))

    async def _write_waiting(self, event: Event) -> None:
        # Logs of older versions do not say the reason: there was one.
        reason = event.data.get("reason", WakeReason.BUDGET)
        is_spend = reason == WakeReason.SPEND
        pending = await self._tx.inbox.pending(self._session.id)
        count = sum(row.kind is RowKind.NOTICE or (is_spend and not row.is_asked) for row in pending)
        if not count:
            return
        # Said once until a person writes: while work goes on, the budget frees and is spent again and again.
        turns = await self._tx.turns.recent(self._session.id, _PAGE)
        since = next((turn.id for turn in turns if not turn.is_wakeup), "")
        key = f"{self._session.id}:waits:{reason}:{since}"
        await self._put(None, self._session.address, PostKind.REMARK, key, waiting_text(count, reason))

    async def _put_parts(self, turn: Turn, kind: PostKind, key: str, text: str) -> list[Post]:
        parts = split(text, self._form)
        known = {post.key: post for post in await self._tx.posts.of_turn(turn.id) if post.key.startswith(f"{key}:")}
        # Words that were taken back may have filled more messages than those that replace them.
        parts += [_NOTHING] * (len(known) - len(parts))
        keys = [f"{key}:{number}" for number in range(len(parts))]
        address = await self._address(turn)
        position = known[keys[0]].position if keys[0] in known else await self._tx.posts.next_position()
        posts = []
        for number, part in enumerate(parts):
            found = known.get(keys[number])
            post = (
                replace(found, wanted=part)
                if found is not None
                else Post(
                    new_post_id(),
                    keys[number],
                    address if number == 0 else address.without_anchor(),
                    kind,
                    part,
                    self._session.id,
                    turn.id,
                    position,
                    number * PART_STEP,
                    created_at=await self._tx.now(),
                )
            )
            await self._tx.posts.put(post)
            posts.append(post)
        return posts

    async def _put(
        self,
        turn_id: str | None,
        address: Address,
        kind: PostKind,
        key: str,
        text: str,
        details: dict[str, Any] | None = None,
    ) -> None:
        known = await self._tx.posts.keyed([key])
        if known:
            await self._tx.posts.put(replace(known[0], wanted=text, details=known[0].details | (details or {})))
            return
        post = Post(
            new_post_id(),
            key,
            address,
            kind,
            text,
            self._session.id,
            turn_id,
            await self._tx.posts.next_position(),
            details=details or {},
            created_at=await self._tx.now(),
        )
        await self._tx.posts.put(post)

    async def _notice_lines(self, turn: Turn, step: int) -> list[str]:
        """Return the lines of the notices that the agent read just before this step."""
        before = await self._tx.journal.of_step(turn.id, step - 1)
        return [notice_line(entry.data["notice"]) for entry in before if "notice" in entry.data]

    async def _address(self, turn: Turn) -> Address:
        """Return where a post of a turn goes. The first one replies to the message that it goes back to: in a group,
        and where it is about work that has ended.
        """
        address, chat_id = turn.address, self._session.address.chat_id
        if address.chat_id != chat_id:
            # The group has moved since the turn began, and its messages have other ids now.
            return replace(address, chat_id=chat_id).without_anchor()
        anchors = turn.is_wakeup or f":{ChatKind.GROUP}:" in self._session.chat_key
        if not anchors or await self._tx.posts.of_turn(turn.id):
            return address.without_anchor()
        return address

    async def _turn(self, turn_id: str) -> Turn | None:
        """Return a turn of this session if it came through the platform's door."""
        if turn_id not in self._turns:
            turn = await self._tx.turns.get(turn_id)
            is_ours = turn is not None and turn.door.name == self._session.address.platform
            self._turns[turn_id] = turn if is_ours else None
        return self._turns[turn_id]


def _answered_step(event: Event) -> int | None:
    """Return the step whose answer is recorded with this event: the first of its answer, or its turn's end."""
    if event.kind in (events.TOOL, events.USAGE):
        step: int = event.data["step"]
        return step
    return event.ends.step if event.ends is not None and event.is_final else None


def is_live(turn: Turn) -> bool:
    """Whether people see its words as they are written: those of a person's turn, and not of one that wakes them."""
    return turn.source == "user" and not turn.is_wakeup
