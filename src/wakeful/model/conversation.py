"""What the OpenAI-compatible API keeps beside sessions and turns."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session under a name that an API client knows."""

    id: str
    owner: str
    session_id: str
    # Empty: it has none.
    name: str = ""
    # JSON, as the client gave it.
    metadata: bytes = b"{}"
    created_at: float = 0.0


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A client's own name for a request: the same one again is the same turn."""

    owner: str
    key: str
    # Of the body: another body under the same key is a mistake.
    fingerprint: str
    turn_id: str
    created_at: float = 0.0
