"""Logins and their tickets in SQLite."""

import sqlite3

from wakeful.model.login import Login, Ticket
from wakeful.store.rows.logins import (
    LOGIN_COLUMNS,
    TICKET_COLUMNS,
    login_from,
    login_values,
    ticket_from,
    ticket_values,
)
from wakeful.store.sqlite.statement import insertion


class SqliteLogins:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def add_ticket(self, ticket: Ticket) -> None:
        self._connection.execute(insertion("login_tickets", TICKET_COLUMNS), ticket_values(ticket))

    async def ticket(self, digest: str) -> Ticket | None:
        row = self._connection.execute("SELECT * FROM login_tickets WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else ticket_from(row)

    async def use_ticket_if_new(self, digest: str, now: float) -> bool:
        cursor = self._connection.execute(
            "UPDATE login_tickets SET used_at = ? WHERE digest = ? AND used_at IS NULL", (now, digest)
        )
        return cursor.rowcount == 1

    async def add(self, login: Login) -> None:
        self._connection.execute(insertion("logins", LOGIN_COLUMNS), login_values(login))

    async def get(self, digest: str) -> Login | None:
        row = self._connection.execute("SELECT * FROM logins WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else login_from(row)

    async def page(self, principal: str | None, limit: int) -> list[Login]:
        rows = self._connection.execute(
            "SELECT * FROM logins WHERE ?1 IS NULL OR principal = ?1 ORDER BY used_at DESC, digest LIMIT ?2",
            (principal, limit),
        )
        return [login_from(row) for row in rows]

    async def prolong(self, digest: str, *, used_at: float, expires_at: float) -> None:
        self._connection.execute(
            "UPDATE logins SET used_at = ?, expires_at = ? WHERE digest = ?", (used_at, expires_at, digest)
        )

    async def drop(self, digest: str) -> None:
        self._connection.execute("DELETE FROM logins WHERE digest = ?", (digest,))

    async def drop_of(self, principal: str | None) -> None:
        self._connection.execute("DELETE FROM logins WHERE ?1 IS NULL OR principal = ?1", (principal,))
        self._connection.execute("DELETE FROM login_tickets WHERE ?1 IS NULL OR principal = ?1", (principal,))

    async def seals(self, home: str) -> dict[str, str]:
        rows = self._connection.execute("SELECT principal, seal FROM login_seals WHERE home = ?", (home,))
        return {row["principal"]: row["seal"] for row in rows}

    async def put_seal(self, home: str, principal: str, seal: str) -> None:
        self._connection.execute(
            """INSERT INTO login_seals (home, principal, seal) VALUES (?, ?, ?)
               ON CONFLICT (home, principal) DO UPDATE SET seal = excluded.seal""",
            (home, principal, seal),
        )

    async def drop_expired(self, now: float) -> None:
        self._connection.execute("DELETE FROM logins WHERE expires_at <= ?", (now,))
        self._connection.execute("DELETE FROM login_tickets WHERE expires_at <= ?", (now,))
