"""Sends one event once: a POST to a checked address. The only file here that uses aiohttp."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wakeful.network.checked_target import CheckedTarget, TargetFinder, TargetRefused

if TYPE_CHECKING:
    import aiohttp

# A short response is read to its end, so that the receiver sees no reset; the rest of a long one is dropped.
_READ_LIMIT = 1024
_READ_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class PostResult:
    # None if no response came.
    status: int | None
    # What happened, for logs and rows. It never quotes the response or the request.
    words: str

    @property
    def has_arrived(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        """Whether the receiver asked for no more tries."""
        return self.status == 410


class Poster:
    def __init__(self, finder: TargetFinder, *, timeout: float) -> None:
        self._finder = finder
        self._timeout = timeout

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> PostResult:
        """Never raises for a receiver's fault. The timeout covers name lookup, connection and response head."""
        import aiohttp

        try:
            return await self._exchange(url, headers, body)
        except TimeoutError:
            return PostResult(None, f"did not answer within {self._timeout:g} s")
        except TargetRefused:
            return PostResult(None, "is not at a public address")
        except aiohttp.ClientConnectorCertificateError:
            return PostResult(None, "has no valid certificate")
        except (aiohttp.ClientError, OSError) as error:
            return PostResult(None, f"cannot be reached ({getattr(error, 'strerror', None) or type(error).__name__})")

    async def _exchange(self, url: str, headers: Mapping[str, str], body: bytes) -> PostResult:
        deadline = asyncio.get_running_loop().time() + self._timeout
        async with asyncio.timeout_at(deadline):
            target = await self._finder.find(url)
        async with _session(target) as session:
            async with asyncio.timeout_at(deadline):
                response = await session.post(
                    target.url, data=body, headers={**_HEADERS, **headers}, allow_redirects=False
                )
            try:
                await _read_a_little(response)
            finally:
                # Not release(): close() also ends the connection of an unfinished response.
                response.close()
        return PostResult(response.status, f"answered {response.status}")


_HEADERS = {"content-type": "application/json", "user-agent": "wakeful"}


def _session(target: CheckedTarget) -> "aiohttp.ClientSession":
    import aiohttp

    # No trust_env: a proxy would resolve the name again, to an address that is not checked.
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(resolver=target.resolver(), use_dns_cache=False, force_close=True),
        timeout=aiohttp.ClientTimeout(total=None),
        cookie_jar=aiohttp.DummyCookieJar(),
        # The body is read, but never used.
        auto_decompress=False,
    )


async def _read_a_little(response: "aiohttp.ClientResponse") -> None:
    """Read the start of the body. Errors are ignored: the status has decided the result already."""
    import aiohttp

    rest = _READ_LIMIT
    try:
        async with asyncio.timeout(_READ_SECONDS):
            # Of nothing that is left to read, nothing is read.
            while piece := await response.content.read(rest):
                rest -= len(piece)
    except (aiohttp.ClientError, OSError):
        # A TimeoutError is an OSError.
        pass
