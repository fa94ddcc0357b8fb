"""How a browser gets in: a ticket, which works once, and the login that it is exchanged for."""

from dataclasses import dataclass

_ID_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Ticket:
    """A one-time token, as it is stored."""

    # Of the token, which only the response that issues it contains.
    digest: str
    # The user whom it lets in.
    principal: str
    created_at: float
    expires_at: float
    used_at: float | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """A browser that is logged in; its cookie holds the secret."""

    digest: str
    principal: str
    created_at: float
    # May lag by a few minutes.
    used_at: float
    expires_at: float
    # The browser's name for itself when it logged in.
    browser: str = ""
    # The address it logged in from, its own or a proxy's. Empty: through the Unix socket.
    address: str = ""

    @property
    def id(self) -> str:
        """A name for lists and commands, which reveals nothing about the secret."""
        return f"login_{self.digest[:_ID_LENGTH]}"
