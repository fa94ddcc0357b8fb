"""What lets a browser in: a ticket, which works once, and the login that it becomes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ticket:
    """A one-time token, as it is stored."""

    # Of the token, which is told to whoever asked for it and kept nowhere.
    digest: str
    # Who is let in.
    principal: str
    created_at: float
    expires_at: float
    used_at: float | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """A browser that has been let in; its cookie holds the secret."""

    digest: str
    principal: str
    created_at: float
    # Within an hour or so.
    used_at: float
    expires_at: float
