"""How a delegation begins: within its limits, with a child session whose first message is the goal."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from wakeful.engine.inbox.dispatcher import require_session
from wakeful.engine.inbox.title import title_from
from wakeful.engine.settings import EngineSettings
from wakeful.engine.tasks.family import sessions_above
from wakeful.engine.tasks.task_runner import begin_task
from wakeful.errors import TooManyDelegations
from wakeful.model.api.request import RUN_PART, TurnRequest, request_from
from wakeful.model.ids import new_id
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.session import Session
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Host, Task, TaskKind
from wakeful.model.turn import Turn
from wakeful.store.base import Transaction


@dataclass(frozen=True, slots=True)
class DelegationStarter:
    node: str
    host: Host
    settings: EngineSettings

    async def start(
        self, tx: Transaction, turn: Turn, key: tuple[int, int], goals: Sequence[Goal], *, is_inline: bool
    ) -> list[Task]:
        """Start a sub-agent for each goal, or return those that the same call has started before; `key` is the call's
        step and index. The caller holds the lock of the parent's session. Raises TooManyDelegations.
        """
        known = await tx.tasks.of_call(turn.id, *key)
        if known:
            return known
        parent = await require_session(tx, turn.session_id)
        await self._check_limits(tx, parent, len(goals))
        return [await self._start_one(tx, turn, parent, key, part, goal, is_inline) for part, goal in enumerate(goals)]

    async def _check_limits(self, tx: Transaction, parent: Session, count: int) -> None:
        working = sum(task.kind is TaskKind.DELEGATION for task in await tx.tasks.running_in(parent.id))
        depth = len(await sessions_above(tx, parent.id)) - 1
        check_delegation_limits(self.settings, wanted=count, working=working, depth=depth)

    async def _start_one(
        self, tx: Transaction, turn: Turn, parent: Session, key: tuple[int, int], part: int, goal: Goal, is_inline: bool
    ) -> Task:
        now = await tx.now()
        task_id = new_id("del")
        child = Session(
            new_id("ses"),
            parent.owner,
            turn.address,
            goal.model or turn.model,
            turn.workspace,
            title=title_from(goal.text),
            task_id=task_id,
            created_at=now,
            updated_at=now,
        )
        await tx.sessions.create_if_absent(child)
        task = Task(
            id=task_id,
            kind=TaskKind.DELEGATION,
            session_id=parent.id,
            owner=parent.owner,
            turn_id=turn.id,
            step=key[0],
            index=key[1],
            part=part,
            host=self.host,
            command=goal.text,
            door=turn.door,
            address=turn.address,
            # Of the turn that its notice opens, not of the sub-agent.
            model=turn.model,
            will_notify=not is_inline,
            is_inline=is_inline,
            spec=b"{}" if goal.tools is None else orjson.dumps({"tools": goal.tools}),
            child_session_id=child.id,
        )
        await tx.inbox.post_if_new(_goal_row(task, child, request_from(turn.request), now))
        return await begin_task(tx, task, self.node)


def check_delegation_limits(limits: EngineSettings, *, wanted: int, working: int, depth: int) -> None:
    """Check that an agent with `working` sub-agents and `depth` delegations above it may have `wanted` more. Raises
    TooManyDelegations.
    """
    if working + wanted > limits.delegation_limit:
        raise TooManyDelegations(
            f"At most {limits.delegation_limit} sub-agents may work at the same time "
            f"(WAKEFUL_DELEGATION_LIMIT) and {working} do already: wait for some of them, or delegate less."
        )
    if depth >= limits.delegation_depth:
        raise TooManyDelegations(
            f"Sub-agents may delegate only {limits.delegation_depth} deep (WAKEFUL_DELEGATION_DEPTH): "
            "do this part yourself."
        )


def _goal_row(task: Task, child: Session, asked: TurnRequest, now: float) -> InboxRow:
    """Return the message that opens the child. If the parent's client (`asked`) can answer approvals, so can the
    child's.
    """
    request = {"request": TurnRequest(kind=RUN_PART)} if asked.can_ask else {}
    return InboxRow(
        id=0,
        session_id=child.id,
        dedupe_key=f"goal:{task.id}",
        kind=RowKind.MESSAGE,
        source="delegation",
        turn_id=new_id("turn"),
        door=task.door,
        address=task.address,
        model=child.model,
        payload=orjson.dumps({"text": task.command, **request}),
        created_at=now,
    )
