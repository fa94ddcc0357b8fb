"""One try of one delivery: a POST to a checked address. The only file here that knows aiohttp."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wakeful.gateway.webhooks.target import Target, TargetFinder, TargetRefused

if TYPE_CHECKING:
    import aiohttp

# A short answer is read to its end, so that its sender sees no reset; a long one is left.
_READ_LIMIT = 1024
_READ_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Outcome:
    # None where no answer came.
    status: int | None
    # What happened, for logs and rows: nothing that the receiver said, and nothing of the request.
    words: str

    @property
    def has_arrived(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        """The receiver wants no more of it."""
        return self.status == 410


class Poster:
    def __init__(self, finder: TargetFinder, *, timeout: float) -> None:
        self._finder = finder
        self._timeout = timeout

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Never raises for what a receiver does. The timeout is for name, connection and the answer's head together."""
        import aiohttp

        try:
            return await self._exchange(url, headers, body)
        except TimeoutError:
            return Outcome(None, f"did not answer within {self._timeout:g} s")
        except TargetRefused:
            return Outcome(None, "is not at a public address")
        except aiohttp.ClientConnectorCertificateError:
            return Outcome(None, "has no valid certificate")
        except (aiohttp.ClientError, OSError) as error:
            return Outcome(None, f"cannot be reached ({getattr(error, 'strerror', None) or type(error).__name__})")

    async def _exchange(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
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
                # Not release(): the connection of an unfinished response must really go.
                response.close()
        return Outcome(response.status, f"answered {response.status}")


_HEADERS = {"content-type": "application/json", "user-agent": "wakeful"}


def _session(target: Target) -> "aiohttp.ClientSession":
    import aiohttp

    # Not trust_env: a proxy would resolve the name again, and nobody would check that address.
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(resolver=target.resolver(), use_dns_cache=False, force_close=True),
        timeout=aiohttp.ClientTimeout(total=None),
        cookie_jar=aiohttp.DummyCookieJar(),
        # A few bytes of it are read and nobody looks at them.
        auto_decompress=False,
    )


async def _read_a_little(response: "aiohttp.ClientResponse") -> None:
    """The status has said it all: whatever happens here changes nothing."""
    import aiohttp

    rest = _READ_LIMIT
    try:
        async with asyncio.timeout(_READ_SECONDS):
            while rest > 0 and (piece := await response.content.read(rest)):
                rest -= len(piece)
    except (aiohttp.ClientError, OSError):
        # A TimeoutError is an OSError.
        pass
