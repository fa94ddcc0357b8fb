"""What an adapter is built from: its access to the platform, and what it may ask of the store."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field

from starlette.routing import Route

from wakeful.gateway.messaging.settings import PlatformAccess
from wakeful.model.messaging.chat import Chat


@dataclass(frozen=True, slots=True)
class PlatformNeeds:
    access: PlatformAccess
    # How long a request may go unanswered.
    timeout: float
    # Where the server is reached from outside; empty: nowhere.
    public_url: str
    # The words of commands, each with what it does.
    commands: Sequence[tuple[str, str]]
    # The chats that have taken in a message since this time.
    chats: Callable[[float], Awaitable[list[Chat]]]
    # (chat id, message id) of messages that were sent or taken in lately.
    recall: Callable[[], Awaitable[Iterable[tuple[str, str]]]]
    # A secret that is made once and kept in the store.
    secret: str
    # Routes that the platform calls; an adapter adds its own.
    routes: list[Route] = field(default_factory=list)
