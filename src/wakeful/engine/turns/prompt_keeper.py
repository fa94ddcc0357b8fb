"""Makes the system prompt when a turn begins, and stores it: a turn that resumes after a crash gets the same one."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.ports import PromptSource
from wakeful.model.system_prompt import SystemPrompt
from wakeful.model.turn import Turn
from wakeful.store.base import Store, Transaction

# In sessions; a prompt may have 100 KB.
_MOST_REMEMBERED = 100


@dataclass(slots=True)
class KeptPrompt:
    prompt: SystemPrompt
    # Writes it, unless the session's last turn had the same one.
    job: asyncio.Task[None] | None = None

    async def until_stored(self) -> None:
        """Wait until it is stored: before that, nothing of the turn may be recorded."""
        if self.job is not None:
            await self.job
            self.job = None

    def close(self) -> None:
        """Cancel a write that is still under way."""
        if self.job is not None:
            self.job.cancel()


class PromptKeeper:
    def __init__(self, store: Store, prompts: PromptSource) -> None:
        self._store = store
        self._prompts = prompts
        # The packed prompts of the last turns of sessions, the latest last; they seldom change.
        self._latest: OrderedDict[str, bytes] = OrderedDict()

    async def begin(self, assignment: Assignment) -> KeptPrompt:
        turn, owner = assignment.turn, assignment.owner
        if owner is None:
            owner, stored = await self._known(turn)
            if stored is not None:
                return KeptPrompt(SystemPrompt.unpacked(stored))
        prompt = await self._prompts.make(turn, owner)
        packed = prompt.packed()
        # On PostgreSQL another node may have stored a different one since.
        if self._store.is_exclusive and self._latest.get(turn.session_id) == packed:
            return KeptPrompt(prompt)
        # The model is asked meanwhile.
        return KeptPrompt(prompt, asyncio.create_task(self._write(assignment, packed)))

    async def _known(self, turn: Turn) -> tuple[str, bytes | None]:
        """Return the owner of the turn's session, and the packed prompt that the turn began with."""

        async def body(tx: Transaction) -> tuple[str, bytes | None]:
            session = await tx.sessions.get(turn.session_id)
            return "" if session is None else session.owner, await tx.turns.system_prompt(turn.session_id)

        return await self._store.read(body)

    async def _write(self, assignment: Assignment, packed: bytes) -> None:
        async def body(tx: Transaction) -> None:
            await tx.turns.require(assignment.lease)
            await tx.turns.keep_system_prompt(assignment.turn.session_id, packed)

        await assignment.until_open()
        session_id = assignment.turn.session_id
        await self._store.write(body, lock=[session_id])
        self._latest[session_id] = packed
        self._latest.move_to_end(session_id)
        if len(self._latest) > _MOST_REMEMBERED:
            self._latest.popitem(last=False)
