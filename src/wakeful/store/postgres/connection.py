"""Connects to the server, and translates the driver's errors into ours, each with a sentence for the operator."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg
from asyncpg import exceptions
from asyncpg.pool import PoolConnectionProxy

from wakeful.errors import SessionLocked, StoreError, StoreFull, StoreReadOnly, StoreTooSlow, StoreUnavailable

CONNECT_SECONDS = 10.0
# No statement of ours takes longer unless the network is dead.
STATEMENT_SECONDS = 60.0

SERVER_SETTINGS = {
    # A node that is suspended in mid-transaction must not hold its locks for ever.
    "idle_in_transaction_session_timeout": "10s",
    # Our statements are short: compiling one takes longer than running it.
    "jit": "off",
    # sql_literal() relies on it.
    "standard_conforming_strings": "on",
}

_LOST = (
    OSError,
    exceptions.PostgresConnectionError,
    exceptions.OperatorInterventionError,
    exceptions.TooManyConnectionsError,
    exceptions.IdleInTransactionSessionTimeoutError,
)
_REFUSED = (exceptions.InvalidAuthorizationSpecificationError, exceptions.InvalidCatalogNameError)
_UNWRITABLE = (
    exceptions.ReadOnlySQLTransactionError,
    exceptions.InsufficientPrivilegeError,
    exceptions.InvalidSchemaNameError,
)
DRIVER_ERRORS = (exceptions.PostgresError, exceptions.InterfaceError, exceptions.InternalClientError, OSError)

Driver = asyncpg.Connection | PoolConnectionProxy


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where the server is, and the application name of this node's connections."""

    url: str
    name: str

    @property
    def where(self) -> str:
        return describe(self.url)

    def settings(self, more: Mapping[str, str]) -> dict[str, str]:
        return {**SERVER_SETTINGS, "application_name": self.name, **more}


class PostgresConnection:
    """A connection that raises our errors instead of the driver's."""

    def __init__(self, driver: Driver, where: str) -> None:
        self._driver = driver
        self._where = where

    async def fetch(self, query: str, *arguments: object) -> list[asyncpg.Record]:
        with self._translated_errors():
            return await self._driver.fetch(query, *arguments)

    async def fetchrow(self, query: str, *arguments: object) -> asyncpg.Record | None:
        with self._translated_errors():
            return await self._driver.fetchrow(query, *arguments)

    async def fetchval(self, query: str, *arguments: object) -> Any:
        with self._translated_errors():
            return await self._driver.fetchval(query, *arguments)

    async def execute(self, query: str, *arguments: object) -> str:
        """Run one command, or several without arguments. Return the tag of the last one, such as `COMMIT`."""
        with self._translated_errors():
            return await self._driver.execute(query, *arguments)

    async def undo(self) -> None:
        """Roll back an open transaction; terminate the connection if that fails."""
        if self._is_lost or not self._driver.is_in_transaction():
            return
        try:
            await self.execute("ROLLBACK")
        except StoreError:
            if not self._is_lost:
                self._driver.terminate()

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except DRIVER_ERRORS as error:
            raise translate(error, self._where, is_lost=self._is_lost) from error

    @property
    def _is_lost(self) -> bool:
        try:
            return self._driver.is_closed()
        except exceptions.InterfaceError:
            return True  # The pool has already taken a broken connection back.


async def connect(
    address: ServerAddress, settings: Mapping[str, str] | None = None, *, statement_seconds: float | None = None
) -> asyncpg.Connection:
    """Open a connection outside the pools. Raises StoreUnavailable."""
    with connecting(address.where):
        return await asyncpg.connect(
            address.url,
            timeout=CONNECT_SECONDS,
            command_timeout=statement_seconds,
            server_settings=address.settings(settings or {}),
        )


@contextmanager
def connecting(where: str) -> Iterator[None]:
    try:
        yield
    except ValueError:
        # Without its cause, because the driver's message may quote a part of the password.
        raise StoreUnavailable(
            "The address of the PostgreSQL database cannot be read: write "
            "postgresql://user:password@host:port/database, with special characters as %XX."
        ) from None
    except DRIVER_ERRORS as error:
        raise translate(error, where) from error


def translate(error: Exception, where: str, *, is_lost: bool = False) -> StoreError:
    if isinstance(error, exceptions.QueryCanceledError):
        return StoreTooSlow(f"{where} took too long, so the question was dropped: ask for less, or again later.")
    if isinstance(error, exceptions.LockNotAvailableError):
        return SessionLocked()
    if is_lost or isinstance(error, _LOST):
        return StoreUnavailable(f"{where} cannot be reached ({_reason(error)}): check that the server runs.")
    if isinstance(error, _REFUSED):
        return StoreUnavailable(f"{where} refuses the connection ({error}): check WAKEFUL_DATABASE_URL.")
    if isinstance(error, exceptions.DiskFullError):
        return StoreFull(f"{where} has no room left: free some and start again, nothing recorded is lost.")
    if isinstance(error, _UNWRITABLE):
        return StoreReadOnly(f"{where} cannot be written ({error}): check the rights of its user.")
    return StoreError(f"{where} could not do what was asked: {error} ({type(error).__name__}).")


def describe(url: str) -> str:
    """Name the database in a sentence, without the password, however malformed the URL is."""
    harmless = url.rpartition("@")[2].rpartition("://")[2]
    parts = urlsplit(f"//{harmless}")
    query = parse_qs(parts.query)
    host = query.get("host", [parts.netloc])[0] or "localhost"
    database = query.get("dbname", [unquote(parts.path.removeprefix("/"))])[0]
    return f'The PostgreSQL database "{database}" at {host}'


def sql_literal(text: str) -> str:
    """Return a text as a literal, for commands that take no arguments."""
    return "'" + text.replace("'", "''") + "'"


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
