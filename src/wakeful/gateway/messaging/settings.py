"""What an operator may set about each messaging door, and about all of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from wakeful.model.inbox import IfBusy
from wakeful.model.messaging.chat import SessionScope

EVERYBODY = "*"
PLATFORMS = ("telegram", "discord", "slack")


class Strangers(StrEnum):
    PAIR = "pair"
    SILENT = "silent"


class Groups(StrEnum):
    MENTION = "mention"
    ALL = "all"
    OFF = "off"


class ShownProgress(StrEnum):
    OFF = "off"
    SHORT = "short"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class DoorSettings:
    # User ids, or `*`.
    allow: frozenset[str] = frozenset()
    strangers: Strangers = Strangers.PAIR
    groups: Groups = Groups.MENTION
    sessions: SessionScope = SessionScope.THREAD
    busy: IfBusy = IfBusy.QUEUE
    progress: ShownProgress = ShownProgress.SHORT
    # Whether answers grow on the platform while they are written.
    streams: bool = True
    # The shortest time between two edits of one message.
    edit_seconds: float = 1.5


@dataclass(frozen=True, slots=True)
class PlatformAccess:
    """How a platform is reached. The tokens show in no repr, and so in no log."""

    api_url: str
    token: str = field(repr=False)
    # Slack's second one, for Socket Mode.
    app_token: str = field(default="", repr=False)
    # Telegram's: `polling` or `webhook`.
    mode: str = "polling"


@dataclass(frozen=True, slots=True)
class AdapterSettings:
    access: PlatformAccess
    # How long a request may go unanswered.
    timeout: float = 30.0
    # After which time an adapter hands in again what was not taken.
    retry_seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class MessagingSettings:
    # Of the platforms that have a door.
    doors: Mapping[str, DoorSettings] = field(default_factory=dict)
    access: Mapping[str, PlatformAccess] = field(default_factory=dict)
    attachment_bytes: int = 20 * 1024 * 1024
    # How long a request to a platform may go unanswered.
    send_timeout: float = 30.0
    # How long after an attempt its outcome is looked up.
    settle_seconds: float = 3.0
