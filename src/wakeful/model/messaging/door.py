"""How the door of a messaging platform is doing."""

from dataclasses import dataclass
from enum import StrEnum


class DoorState(StrEnum):
    CONNECTING = "connecting"
    CONNECTED = "connected"
    RETRYING = "retrying"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class DoorStatus:
    """How a door is doing; `/health` and the page show it."""

    state: DoorState = DoorState.CONNECTING
    # Since when, by the clock on the wall.
    since: float = 0.0
    # The name of the bot, once the platform has said it.
    bot: str = ""
    error: str = ""
