"""Logs browsers in: a ticket is good for one login, and a login stays valid while it is used."""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.errors import WakefulError
from wakeful.gateway.entrance.logins.open_connections import OpenConnections
from wakeful.model.login import Login, Ticket
from wakeful.store.base import Store, Transaction

_TICKET_SECONDS = 3600.0
_LOGIN_SECONDS = 30 * 86_400.0
# The use of a login is written at most this often.
_WRITE_USE_SECONDS = 300.0
# How often streams are checked for logins that ended at another node.
_CHECK_SECONDS = 5.0
_MOST_LISTED = 1000


class TokenInvalid(WakefulError):
    """This link is not valid, or no longer: `wakeful login` prints a new one."""


class TokenUsed(WakefulError):
    """This link was used already: `wakeful login` prints a new one."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser that logs in: its user agent and its network address, empty where unknown."""

    browser: str = ""
    address: str = ""


class LoginDesk:
    """Keeps tickets and logins in the store, so they hold on every node and after a restart."""

    def __init__(self, store: Store, names: Collection[str]) -> None:
        """`names` are the principals who may log in. Logins of a removed principal are no longer valid."""
        self._store = store
        self.names = frozenset(names)
        # The connections on which browsers read from this node.
        self.connections = OpenConnections()

    async def new_ticket(self, principal: str) -> str:
        """Return a new token for a login link."""
        token = secrets.token_urlsafe(32)

        async def body(tx: Transaction) -> None:
            now = await tx.now()
            await tx.logins.drop_expired(now)
            await tx.logins.add_ticket(Ticket(_digest(token), principal, now, now + _TICKET_SECONDS))

        await self._store.write(body)
        return token

    async def redeem(self, token: str, visitor: Visitor) -> str:
        """Exchange a token for a new login and return its secret. Raises TokenInvalid or TokenUsed."""
        digest = _digest(token)
        # Checked by a read first, so a wrong guess costs no write.
        if await self._store.read(lambda tx: tx.logins.ticket(digest)) is None:
            raise TokenInvalid

        async def body(tx: Transaction) -> str:
            ticket, now = await tx.logins.ticket(digest), await tx.now()
            if ticket is None or ticket.expires_at <= now or ticket.principal not in self.names:
                raise TokenInvalid
            if not await tx.logins.use_ticket_if_new(digest, now):
                raise TokenUsed
            return await _add_login(tx, ticket.principal, visitor)

        return await self._store.write(body)

    async def log_in(self, principal: str, visitor: Visitor) -> str:
        """Create a login for a principal who has authenticated, and return its secret."""

        async def body(tx: Transaction) -> str:
            return await _add_login(tx, principal, visitor)

        return await self._store.write(body)

    async def login_of(self, secret: str) -> Login | None:
        """Return the valid login with this secret, and prolong it."""
        found = await self._valid_logins([_digest(secret)])
        return found[0] if found else None

    async def log_out(self, secret: str) -> None:
        await self.end(_digest(secret))

    async def end(self, digest: str) -> None:
        await self._store.write(lambda tx: tx.logins.drop(digest))
        self.connections.cut(digest)

    async def logins(self, principal: str | None) -> list[Login]:
        """Return the valid logins of one principal, or of all for None; the one used last first."""

        async def body(tx: Transaction) -> list[Login]:
            now = await tx.now()
            found = await tx.logins.page(principal, _MOST_LISTED)
            return [login for login in found if self._is_valid(login, now)]

        return await self._store.read(body)

    def watch(self, clock: Clock) -> Job:
        """Return the job that cuts off the streams of logins that have expired or ended at another node."""
        return Job("logins", self.check_connections, clock)

    async def check_connections(self) -> float:
        digests = self.connections.logins()
        valid = {login.digest for login in await self._valid_logins(digests)} if digests else set()
        for digest in digests:
            if digest not in valid:
                self.connections.cut(digest)
        return _CHECK_SECONDS

    async def _valid_logins(self, digests: Collection[str]) -> list[Login]:
        async def body(tx: Transaction) -> tuple[list[Login | None], float]:
            return [await tx.logins.get(digest) for digest in digests], await tx.now()

        found, now = await self._store.read(body)
        valid = [login for login in found if login is not None and self._is_valid(login, now)]
        for login in valid:
            if now - login.used_at >= _WRITE_USE_SECONDS:
                await self._prolong(login.digest, now)
        return valid

    async def _prolong(self, digest: str, now: float) -> None:
        await self._store.write(lambda tx: tx.logins.prolong(digest, used_at=now, expires_at=now + _LOGIN_SECONDS))

    def _is_valid(self, login: Login, now: float) -> bool:
        return login.expires_at > now and login.principal in self.names


class LoginLinks:
    def __init__(self, desk: LoginDesk, url: str) -> None:
        """`url` is where browsers find the page, or empty when no page is served."""
        self._desk = desk
        self._url = url

    async def new(self, principal: str) -> str | None:
        """Return a link that logs a browser in, or None without a page.

        The token is in the fragment, which browsers never send.
        """
        if not self._url:
            return None
        return f"{self._url}/login#token={await self._desk.new_ticket(principal)}"


async def _add_login(tx: Transaction, principal: str, visitor: Visitor) -> str:
    secret, now = secrets.token_urlsafe(32), await tx.now()
    await tx.logins.drop_expired(now)
    until = now + _LOGIN_SECONDS
    await tx.logins.add(Login(_digest(secret), principal, now, now, until, visitor.browser, visitor.address))
    return secret


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
