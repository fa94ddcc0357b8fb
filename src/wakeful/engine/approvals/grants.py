"""Grants: what a person has allowed for longer, and which of a call's reasons it covers."""

import os
from pathlib import PurePath

from wakeful.engine.tasks.family import sessions_above
from wakeful.model.approvals.approval import Approval, Choice, Reason
from wakeful.model.approvals.grant import Grant
from wakeful.model.approvals.reason_kinds import ONCE_ONLY
from wakeful.model.ids import new_id
from wakeful.model.session import Session
from wakeful.store.base import Transaction


def grants_of(approval: Approval, choice: Choice, owner: str, session_id: str, now: float) -> list[Grant]:
    """What this answer grants: one for each kind that was asked about, in the session where it was given or in the
    folder. The words of the question have named the day when it ends.
    """
    place: dict[Choice, tuple[str, str, float | None]] = {
        Choice.SESSION: (session_id, "", None),
        Choice.FOLDER: ("", approval.folder, approval.granted_until),
    }
    if choice not in place:
        return []
    session, folder, ends = place[choice]
    kinds = dict.fromkeys(found.kind for found in approval.reasons)
    return [
        Grant(new_id("gnt"), owner, kind, session, folder, now, expires_at=ends, example=approval.command)
        for kind in kinds
    ]


async def reasons_to_ask(
    tx: Transaction, asking: Approval, owner: str, session_ids: list[str], now: float
) -> tuple[Reason, ...]:
    """Those that no grant covers. Where there are none the call passes, and the grants that let it are counted.
    `session_ids`: the session that asks and those above it.
    """
    found: dict[str, str] = {}
    for grant in await tx.grants.covering(session_ids, owner, _folders_above(asking.folder), now):
        found.setdefault(grant.kind, grant.id)
    used = {reason.kind: found[reason.kind] for reason in asking.reasons if _is_covered(reason, found)}
    left = tuple(reason for reason in asking.reasons if reason.kind not in used)
    if not left:
        await tx.grants.count_use(list(used.values()), now)
    return left


async def grants_in(tx: Transaction, session: Session, folder: str) -> list[Grant]:
    """All that hold in a session, which works in this real folder."""
    above = [found.id for found in await sessions_above(tx, session.id)]
    return await tx.grants.covering(above, session.owner, _folders_above(folder), await tx.now())


def real_folder(workspace: str) -> str:
    """Where links lead: a grant of a folder must not reach what lies elsewhere."""
    return os.path.realpath(workspace) if workspace else ""


def _folders_above(folder: str) -> list[str]:
    """The folder and those that it lies in, but the root, which no grant names."""
    path = PurePath(folder)
    return [str(above) for above in (path, *path.parents) if above != above.parent] if path.is_absolute() else []


def _is_covered(reason: Reason, found: dict[str, str]) -> bool:
    return reason.kind in found and reason.kind not in ONCE_ONLY
