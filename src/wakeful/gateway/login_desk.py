"""Lets browsers in: a ticket is good for one login, a login for as long as it is used."""

import secrets
from collections.abc import Collection
from hashlib import sha256

from wakeful.errors import WakefulError
from wakeful.model.login import Login, Ticket
from wakeful.store.base import Store, Transaction

_TICKET_SECONDS = 3600.0
_LOGIN_SECONDS = 30 * 86_400.0
# A login's use is written down so often at most.
_COARSE_SECONDS = 3600.0


class TokenInvalid(WakefulError):
    """This link is not valid, or no longer: `wakeful login` prints a new one."""


class TokenUsed(WakefulError):
    """This link was used already: `wakeful login` prints a new one."""


class LoginDesk:
    """Everything is in the store: it holds on every node, and after a start."""

    def __init__(self, store: Store, names: Collection[str]) -> None:
        """`names` are those who can be let in. A login of one who is struck from them is worth nothing."""
        self._store = store
        self.names = frozenset(names)

    async def new_ticket(self, principal: str) -> str:
        """The token for a link."""
        token = secrets.token_urlsafe(32)

        async def body(tx: Transaction) -> None:
            now = await tx.now()
            await tx.logins.drop_expired(now)
            await tx.logins.add_ticket(Ticket(_digest(token), principal, now, now + _TICKET_SECONDS))

        await self._store.write(body)
        return token

    async def redeem(self, token: str) -> str:
        """The secret of a new login, for a token. Raises TokenInvalid or TokenUsed."""
        digest = _digest(token)
        # A guess costs no write.
        if await self._store.read(lambda tx: tx.logins.ticket(digest)) is None:
            raise TokenInvalid

        async def body(tx: Transaction) -> str:
            ticket, now = await tx.logins.ticket(digest), await tx.now()
            if ticket is None or ticket.expires_at <= now or ticket.principal not in self.names:
                raise TokenInvalid
            if not await tx.logins.use_ticket_if_new(digest, now):
                raise TokenUsed
            return await _add_login(tx, ticket.principal)

        return await self._store.write(body)

    async def log_in(self, principal: str) -> str:
        """The secret of a new login, for somebody who has shown who they are."""

        async def body(tx: Transaction) -> str:
            return await _add_login(tx, principal)

        return await self._store.write(body)

    async def principal(self, secret: str) -> str | None:
        """Who is logged in with this secret; being asked keeps the login alive."""
        digest = _digest(secret)

        async def look(tx: Transaction) -> tuple[Login | None, float]:
            return await tx.logins.get(digest), await tx.now()

        login, now = await self._store.read(look)
        if login is None or login.expires_at <= now or login.principal not in self.names:
            return None
        if now - login.used_at >= _COARSE_SECONDS:
            until = now + _LOGIN_SECONDS
            await self._store.write(lambda tx: tx.logins.prolong(digest, used_at=now, expires_at=until))
        return login.principal

    async def log_out(self, secret: str) -> None:
        digest = _digest(secret)
        await self._store.write(lambda tx: tx.logins.drop(digest))


async def _add_login(tx: Transaction, principal: str) -> str:
    secret, now = secrets.token_urlsafe(32), await tx.now()
    await tx.logins.drop_expired(now)
    await tx.logins.add(Login(_digest(secret), principal, now, now, now + _LOGIN_SECONDS))
    return secret


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
