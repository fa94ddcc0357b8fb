"""What schedules need to know about the server that runs them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wakeful.model.messaging.chat import SessionScope


@dataclass(frozen=True, slots=True)
class ScheduleSettings:
    # The principal who may deliver to chats, and who sees all jobs.
    operator: str
    # For sessions that a firing makes, and for jobs that name no model.
    model: str
    workspace: str
    # For schedules that name no zone.
    timezone: str
    # How old a missed firing may be to be made up for.
    catch_up_seconds: float
    # A schedule may not fire faster than this.
    min_seconds: float
    # The messaging platforms that are configured, and what gets a session of its own on each.
    platforms: Mapping[str, SessionScope] = field(default_factory=dict)
