"""What lets a browser in: a ticket, which works once, and the login that it becomes."""

from dataclasses import dataclass

_ID_LENGTH = 16


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
    # A few minutes late at most.
    used_at: float
    expires_at: float
    # What the browser called itself when it logged in.
    browser: str = ""
    # Where it logged in from: its own address, or that of a proxy. Empty: through the Unix socket.
    address: str = ""

    @property
    def id(self) -> str:
        """A name for people and lists, from which nothing can be learned about the secret."""
        return f"login_{self.digest[:_ID_LENGTH]}"
