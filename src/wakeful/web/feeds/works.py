"""How far the sub-agents of a session have come, as the store has it, in the form that clients get."""

from dataclasses import dataclass, replace
from typing import Any

from wakeful.model.journal.work import SubAgentWork, call_or_words
from wakeful.model.session import Session
from wakeful.store.base import Transaction
from wakeful.web.messages.turn import cost_fields

# How many turns of a sub-agent are counted: wake-ups open more than one.
_TURNS = 50


@dataclass(frozen=True, slots=True)
class Works:
    # By the ids of the delegations.
    works: dict[str, SubAgentWork]
    # The sessions of all sub-agents, at any depth.
    sessions: frozenset[str]


async def works_in(tx: Transaction, session_id: str) -> Works:
    """Return the work of the session's running sub-agents, each with what its own sub-agents have used."""
    works: dict[str, SubAgentWork] = {}
    sessions: set[str] = set()
    parent = await tx.sessions.get(session_id)
    for task in await tx.tasks.running_in(session_id):
        child = None if task.child_session_id is None else await tx.sessions.get(task.child_session_id)
        if child is not None:
            work, below = await _work_of(tx, child)
            works[task.id] = replace(work, model="" if parent is None or child.model == parent.model else child.model)
            sessions |= below
    return Works(works, frozenset(sessions))


def shown_work(work: SubAgentWork) -> dict[str, Any]:
    return {
        "tool": work.tool,
        "argument": work.argument,
        "words": work.words,
        "steps": work.steps,
        **cost_fields(work.spend),
        "sub_agents": work.sub_agents,
        "model": work.model,
    }


async def _work_of(tx: Transaction, session: Session) -> tuple[SubAgentWork, set[str]]:
    tool, argument, words = await _doing(tx, session)
    steps, spend, sessions = await _steps_of(tx, session), session.spend, {session.id}
    running = 0
    for child_id in await tx.sessions.children(session.id):
        child = await tx.sessions.get(child_id)
        if child is not None:
            work, below = await _work_of(tx, child)
            steps, spend, sessions = steps + work.steps, spend + work.spend, sessions | below
            running += work.sub_agents
    running += sum(task.child_session_id is not None for task in await tx.tasks.running_in(session.id))
    return SubAgentWork(tool, argument, words, steps, spend, running), sessions


async def _doing(tx: Transaction, session: Session) -> tuple[str, str, str]:
    newest = session.active or session.head
    answer = None if newest is None else (await tx.journal.last_answers([newest])).get(newest)
    if answer is None:
        return "", "", ""
    return call_or_words(await tx.journal.of_step(answer.turn_id, answer.step))


async def _steps_of(tx: Transaction, session: Session) -> int:
    newest = session.active or session.head
    turns = [] if newest is None else await tx.turns.chain(newest, _TURNS)
    answers = await tx.journal.last_answers([turn.id for turn in turns])
    return sum(answer.step for answer in answers.values())
