"""Resolves a URL once, checks its addresses, and pins the connection to them."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, cast

from wakeful.errors import WakefulError
from wakeful.network.public_address import is_public

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver, ResolveResult
    from yarl import URL

# Returns the addresses of a host name. Raises OSError.
Resolve = Callable[[str], Awaitable[Sequence[str]]]


class TargetRefused(WakefulError):
    """The address is not public."""


@dataclass(frozen=True, slots=True)
class CheckedTarget:
    url: "URL"
    # All of these have been checked.
    addresses: tuple[str, ...]

    def resolver(self) -> "AbstractResolver":
        """Return a resolver for aiohttp's connector. Host header, SNI and certificate check keep the URL's name."""
        # aiohttp calls only resolve and close. A subclass would import it before its first use.
        return cast("AbstractResolver", _Pinned(self.addresses))


class TargetFinder:
    def __init__(self, resolve: Resolve, *, allows_private: bool) -> None:
        self._resolve = resolve
        self._allows_private = allows_private

    async def find(self, url: str) -> CheckedTarget:
        """Raises TargetRefused if any of its addresses is not public, and OSError if it has none."""
        from yarl import URL

        # The parser that aiohttp uses: another one might find a different host.
        target = URL(url)
        host = target.raw_host or ""
        addresses = _known_addresses(host) or await self._resolve(host)
        if not addresses:
            raise OSError("the name has no address")
        if not self._allows_private and not all(map(is_public, addresses)):
            raise TargetRefused
        return CheckedTarget(target, tuple(addresses))


async def addresses_of(host: str) -> list[str]:
    """Return the addresses that the system's resolver finds, each once."""
    try:
        infos = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        # A part of the name is empty or too long.
        raise socket.gaierror(socket.EAI_NONAME, "the name is not valid") from error
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


class _Pinned:
    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int, family: socket.AddressFamily = socket.AF_INET
    ) -> "list[ResolveResult]":
        return [self._result(host, port, address) for address in self._addresses]

    async def close(self) -> None:
        pass

    def _result(self, host: str, port: int, address: str) -> "ResolveResult":
        return {
            "hostname": host,
            "host": address,
            "port": port,
            "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
            "proto": socket.IPPROTO_TCP,
            "flags": socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
        }


def _known_addresses(host: str) -> Sequence[str]:
    """Return the addresses of a host that no resolver has to be asked about: of an address in any notation, also with a
    dot at its end, and of the names of this machine.
    """
    name = host.removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return "127.0.0.1", "::1"
    with suppress(ValueError):
        ip_address(name)
        return (name,)
    with suppress(OSError):
        # Numbers in octal, in hexadecimal, and fewer than four.
        return (socket.inet_ntoa(socket.inet_aton(name)),)
    return ()
