"""What the OpenAI-compatible API stores beside sessions and turns."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session under a name that an API client knows."""

    id: str
    owner: str
    session_id: str
    # Empty: it has no name.
    name: str = ""
    # JSON, as the client gave it.
    metadata: bytes = b"{}"
    created_at: float = 0.0


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A client's name for a request: a request with the same key gets the same turn."""

    owner: str
    key: str
    # Of the request body: another body with the same key is an error.
    fingerprint: str
    turn_id: str
    created_at: float = 0.0
