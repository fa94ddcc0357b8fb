"""Logins and their tickets in PostgreSQL."""

from wakeful.model.login import Login, Ticket
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.logins import (
    LOGIN_COLUMNS,
    TICKET_COLUMNS,
    login_from,
    login_values,
    ticket_from,
    ticket_values,
)


class PostgresLogins:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def add_ticket(self, ticket: Ticket) -> None:
        await self._connection.execute(insertion("login_tickets", TICKET_COLUMNS), *ticket_values(ticket))

    async def ticket(self, digest: str) -> Ticket | None:
        row = await self._connection.fetchrow("SELECT * FROM login_tickets WHERE digest = $1", digest)
        return None if row is None else ticket_from(row)

    async def use_ticket_if_new(self, digest: str, now: float) -> bool:
        # Of two concurrent uses the second waits here for the first, and then finds the ticket used.
        used = await self._connection.fetchval(
            "UPDATE login_tickets SET used_at = $2 WHERE digest = $1 AND used_at IS NULL RETURNING TRUE", digest, now
        )
        return used is not None

    async def add(self, login: Login) -> None:
        await self._connection.execute(insertion("logins", LOGIN_COLUMNS), *login_values(login))

    async def get(self, digest: str) -> Login | None:
        row = await self._connection.fetchrow("SELECT * FROM logins WHERE digest = $1", digest)
        return None if row is None else login_from(row)

    async def page(self, principal: str | None, limit: int) -> list[Login]:
        rows = await self._connection.fetch(
            """SELECT * FROM logins WHERE $1::text IS NULL OR principal = $1
               ORDER BY used_at DESC, digest LIMIT $2""",
            principal,
            limit,
        )
        return [login_from(row) for row in rows]

    async def prolong(self, digest: str, *, used_at: float, expires_at: float) -> None:
        await self._connection.execute(
            "UPDATE logins SET used_at = $2, expires_at = $3 WHERE digest = $1", digest, used_at, expires_at
        )

    async def drop(self, digest: str) -> None:
        await self._connection.execute("DELETE FROM logins WHERE digest = $1", digest)

    async def drop_of(self, principal: str | None) -> None:
        for table in ("logins", "login_tickets"):
            await self._connection.execute(f"DELETE FROM {table} WHERE $1::text IS NULL OR principal = $1", principal)

    async def seals(self, home: str) -> dict[str, str]:
        rows = await self._connection.fetch("SELECT principal, seal FROM login_seals WHERE home = $1", home)
        return {row["principal"]: row["seal"] for row in rows}

    async def put_seal(self, home: str, principal: str, seal: str) -> None:
        await self._connection.execute(
            """INSERT INTO login_seals (home, principal, seal) VALUES ($1, $2, $3)
               ON CONFLICT (home, principal) DO UPDATE SET seal = excluded.seal""",
            home,
            principal,
            seal,
        )

    async def drop_expired(self, now: float) -> None:
        await self._connection.execute("DELETE FROM logins WHERE expires_at <= $1", now)
        await self._connection.execute("DELETE FROM login_tickets WHERE expires_at <= $1", now)
