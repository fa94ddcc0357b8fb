"""What an adapter is built from: its access to the platform, and what it may ask of the store."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.routing import Route

from wakeful.gateway.messaging.settings import PlatformAccess
from wakeful.model.messaging.chat import Chat

# Returns the chats of the platform that have taken in a message since a moment.
ChatsSince = Callable[[float], Awaitable[list[Chat]]]
# Returns (chat id, message id) of messages that were sent or taken in lately.
Recall = Callable[[], Awaitable[Iterable[tuple[str, str]]]]


async def _read_nothing() -> dict[str, Any]:
    return {}


async def _write_nothing(values: dict[str, Any]) -> None:
    """Forget the values: `wakeful doctor` receives nothing, so there is nothing to go on with."""


@dataclass(frozen=True, slots=True)
class DoorMemory:
    """What the store keeps for a door, whichever node holds it."""

    read: Callable[[], Awaitable[dict[str, Any]]]
    # Adds values to the others, unless another node holds the door by now.
    write: Callable[[dict[str, Any]], Awaitable[None]]


NO_MEMORY = DoorMemory(_read_nothing, _write_nothing)


@dataclass(frozen=True, slots=True)
class PlatformNeeds:
    access: PlatformAccess
    # How long a request may go unanswered.
    timeout: float
    # Where the server is reached from outside; empty: nowhere.
    public_url: str
    # The words of commands, each with what it does.
    commands: Sequence[tuple[str, str]]
    chats: ChatsSince
    recall: Recall
    # A secret that is made once and kept in the store.
    secret: str
    memory: DoorMemory = NO_MEMORY
    # Routes that the platform calls; an adapter adds its own.
    routes: list[Route] = field(default_factory=list)
