"""Logins of browsers and their tickets."""

from typing import Protocol

from wakeful.model.login import Login, Ticket


class Logins(Protocol):
    """Browsers that were let in, and the one-time tickets that let them in. Times are compared by the caller."""

    async def add_ticket(self, ticket: Ticket) -> None: ...

    async def ticket(self, digest: str) -> Ticket | None: ...

    async def use_ticket_if_new(self, digest: str, now: float) -> bool:
        """False when it was used before."""
        ...

    async def add(self, login: Login) -> None: ...

    async def get(self, digest: str) -> Login | None: ...

    async def page(self, principal: str | None, limit: int) -> list[Login]:
        """Those of one principal, or of all; the one used last first."""
        ...

    async def prolong(self, digest: str, *, used_at: float, expires_at: float) -> None: ...

    async def drop(self, digest: str) -> None:
        """One that is not there is no error."""
        ...

    async def drop_of(self, principal: str | None) -> None:
        """Logins and tickets of one principal, or of all."""
        ...

    async def seals(self, home: str) -> dict[str, str]:
        """The fingerprint of what lets each principal in, as it was written last for this home."""
        ...

    async def put_seal(self, home: str, principal: str, seal: str) -> None: ...

    async def drop_expired(self, now: float) -> None:
        """Tickets and logins whose time has passed."""
        ...
