"""Chooses the session that a firing goes to: the target's chat, or a new one."""

from dataclasses import dataclass, replace

from wakeful.engine.cron_runs import CRON
from wakeful.engine.inbox.target_chat import target_chat
from wakeful.engine.schedules.settings import ScheduleSettings
from wakeful.model.ids import new_id
from wakeful.model.messaging.chat import Chat
from wakeful.model.schedules.cron_job import CronJob
from wakeful.model.session import Address, Sender, Session
from wakeful.model.turn import Door
from wakeful.store.base import Transaction


@dataclass(frozen=True, slots=True)
class FiringLane:
    session: Session
    is_new: bool
    door: Door
    address: Address
    # The chat that goes on in the new session from now on.
    chat: Chat | None = None


async def lane_of(tx: Transaction, job: CronJob, settings: ScheduleSettings) -> FiringLane:
    """Return where a firing of this job goes now. Nothing is written."""
    target = job.deliver
    if target is None:
        return FiringLane(_new_session(job, Address(CRON), settings), True, Door(CRON, True), Address(CRON))
    door = Door(target.platform, async_delivery=True)
    chat = await target_chat(tx, target, settings.platforms[target.platform])
    address = replace(target, sender=Sender(chat_name=chat.name, chat_key=chat.key))
    known = None if job.is_fresh or not chat.session_id else await tx.sessions.get(chat.session_id)
    if known is not None and not known.is_deleted:
        return FiringLane(known, False, door, address)
    session = replace(_new_session(job, target, settings), chat_key=chat.key, chat_name=chat.name)
    heir = None if job.is_fresh else replace(chat, session_id=session.id)
    return FiringLane(session, True, door, address, heir)


def _new_session(job: CronJob, address: Address, settings: ScheduleSettings) -> Session:
    model = job.model or settings.model
    return Session(new_id("ses"), job.owner, address, model, settings.workspace, title=job.name)
