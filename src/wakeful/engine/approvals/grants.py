"""Grants: what a person has allowed for more than one call, and which reasons of a call they cover."""

import os
from collections.abc import Sequence
from pathlib import PurePath

from wakeful.engine.tasks.family import sessions_above
from wakeful.model.approvals.approval import Approval, Choice, Reason
from wakeful.model.approvals.grant import Grant
from wakeful.model.approvals.reason_kinds import ONCE_ONLY
from wakeful.model.ids import new_id
from wakeful.model.session import Session
from wakeful.store.base import Transaction


def grants_of(approval: Approval, choice: Choice, owner: str, session_id: str, now: float) -> list[Grant]:
    """Return the grants that an answer gives: one per kind that was asked about, for the session of the answer or for
    the folder, until the day that the question has named.
    """
    scopes: dict[Choice, tuple[str, str, float | None]] = {
        Choice.SESSION: (session_id, "", None),
        Choice.FOLDER: ("", approval.folder, approval.granted_until),
    }
    if choice not in scopes:
        return []
    session, folder, ends = scopes[choice]
    kinds = dict.fromkeys(found.kind for found in approval.reasons)
    return [
        Grant(
            new_id("gnt"),
            owner,
            kind,
            session,
            folder,
            approval.chat_key if folder else "",
            now,
            expires_at=ends,
            example=approval.command,
        )
        for kind in kinds
    ]


async def reasons_to_ask(tx: Transaction, asking: Approval, above: Sequence[Session], now: float) -> tuple[Reason, ...]:
    """Return the reasons that no grant covers. If none is left, the call passes, and the use of its grants is counted.
    `above` are the session that asks and those that it works for, up to the top.
    """
    found: dict[str, str] = {}
    for grant in await _covering(tx, above, asking.folder, now):
        found.setdefault(grant.kind, grant.id)
    used = {reason.kind: found[reason.kind] for reason in asking.reasons if _is_covered(reason, found)}
    left = tuple(reason for reason in asking.reasons if reason.kind not in used)
    if not left:
        await tx.grants.count_use(list(used.values()), now)
    return left


async def grants_in(tx: Transaction, session: Session, folder: str) -> list[Grant]:
    """Return the grants that hold in a session that works in this folder, given as a real path."""
    above = await sessions_above(tx, session.id)
    return await _covering(tx, above, folder, await tx.now())


async def _covering(tx: Transaction, above: Sequence[Session], folder: str, now: float) -> list[Grant]:
    session_ids, top = [session.id for session in above], above[-1]
    return await tx.grants.covering(session_ids, top.owner, _folders_above(folder), top.chat_key, now)


def real_folder(workspace: str) -> str:
    """Resolve links: a grant for a folder must not cover files elsewhere."""
    return os.path.realpath(workspace) if workspace else ""


def _folders_above(folder: str) -> list[str]:
    """Return the folder and its parents, without the root, which no grant may name."""
    path = PurePath(folder)
    return [str(above) for above in (path, *path.parents) if above != above.parent] if path.is_absolute() else []


def _is_covered(reason: Reason, found: dict[str, str]) -> bool:
    return reason.kind in found and reason.kind not in ONCE_ONLY
