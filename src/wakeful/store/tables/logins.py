"""Logins of browsers, and the tickets for them."""

from typing import Protocol

from wakeful.model.login import Login, Ticket


class Logins(Protocol):
    """Logins and one-time tickets. The caller checks whether they have expired."""

    async def add_ticket(self, ticket: Ticket) -> None: ...

    async def ticket(self, digest: str) -> Ticket | None: ...

    async def use_ticket_if_new(self, digest: str, now: float) -> bool:
        """Mark a ticket as used; false when it was used before."""
        ...

    async def add(self, login: Login) -> None: ...

    async def get(self, digest: str) -> Login | None: ...

    async def page(self, principal: str | None, limit: int) -> list[Login]:
        """Return the logins of one principal, or of all; the last used first."""
        ...

    async def prolong(self, digest: str, *, used_at: float, expires_at: float) -> None: ...

    async def drop(self, digest: str) -> None:
        """Remove a login, if it exists."""
        ...

    async def drop_of(self, principal: str | None) -> None:
        """Remove the logins and tickets of one principal, or of all."""
        ...

    async def seals(self, home: str) -> dict[str, str]:
        """Return the stored fingerprint of each principal's credentials, for this home."""
        ...

    async def put_seal(self, home: str, principal: str, seal: str) -> None: ...

    async def drop_expired(self, now: float) -> None:
        """Remove tickets and logins that have expired."""
        ...
