"""Fetches a page. Every hop's name is resolved once, its addresses are checked, and one of them is connected to."""

import asyncio
import errno
import os
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wakeful.errors import ConfigError
from wakeful.network.checked_target import CheckedTarget, TargetFinder, TargetRefused
from wakeful.network.content_coding import Unpacked, is_packed
from wakeful.network.proxy import proxy_for
from wakeful.tools.base import Unusable

if TYPE_CHECKING:
    import aiohttp

SECONDS = 20.0
MOST_BYTES = 2 * 1024 * 1024
_MOST_REDIRECTS = 5
_LONGEST_URL = 8_000
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PIECE = 65_536
_HEADERS = {
    "user-agent": "wakeful",
    "accept": "text/html, text/plain, application/json, */*;q=0.5",
    "accept-encoding": "gzip, deflate",
}


@dataclass(frozen=True, slots=True)
class FetchedPage:
    url: str
    status: int
    # In lower case, without parameters.
    type: str
    # As the server names it, "" if it does not.
    charset: str
    body: bytes
    is_cut: bool


class Fetcher:
    def __init__(self, finder: TargetFinder, seconds: float = SECONDS) -> None:
        self._finder = finder
        self._seconds = seconds

    async def fetch(self, url: str) -> FetchedPage:
        """Raises Unusable, with the code of the tool's failure."""
        # Imported on first use: most servers never need it.
        import aiohttp

        try:
            async with asyncio.timeout(self._seconds):
                return await self._follow(url)
        except TimeoutError as error:
            raise Unusable(f"{url} did not answer in full within {self._seconds:g} s", "timeout") from error
        except TargetRefused as error:
            sentence = f"{url} leads to an address of this machine or of a private network, where web_fetch may not go"
            raise Unusable(sentence, "blocked_address") from error
        except aiohttp.ClientConnectorCertificateError as error:
            raise Unusable(f"{url} has no valid certificate", "unreachable") from error
        except (aiohttp.ClientError, OSError, ConfigError) as error:
            raise Unusable(f"{url} cannot be reached: {_reason(error)}", "unreachable") from error
        except zlib.error as error:
            raise Unusable(f"{url} sends a damaged body", "unreachable") from error

    async def _follow(self, url: str) -> FetchedPage:
        for _ in range(_MOST_REDIRECTS + 1):
            async with self._answer(url) as (target, response):
                location = response.headers.get("location")
                if response.status not in _REDIRECTS or not location:
                    return await _page_of(str(target.url), response)
                url = redirected(url, location)
        raise Unusable(f"{url} is behind more than {_MOST_REDIRECTS} redirects", "unreachable")

    @asynccontextmanager
    async def _answer(self, url: str) -> "AsyncGenerator[tuple[CheckedTarget, aiohttp.ClientResponse], None]":
        proxy = proxy_for(url)
        target = await (self._finder.find(url) if proxy is None else self._behind_proxy(url))
        async with _session(target, is_pinned=proxy is None) as session:
            response = await session.get(target.url, headers=_HEADERS, allow_redirects=False, proxy=proxy)
            try:
                yield target, response
            finally:
                # Not release(): the connection of an unfinished response has to be closed.
                response.close()

    async def _behind_proxy(self, url: str) -> CheckedTarget:
        """Return the target of a request that a proxy resolves. A name that leads to a private address here is still
        refused; behind a proxy, many names cannot be resolved here.
        """
        from yarl import URL

        try:
            return await self._finder.find(url)
        except OSError:
            return CheckedTarget(URL(url), ())


def checked_url(url: str) -> str:
    """Return the address of a page if it can be fetched. Raises Unusable."""
    from yarl import URL

    if len(url) > _LONGEST_URL:
        raise Unusable(f"url is longer than {_LONGEST_URL:,} characters")
    try:
        parsed = URL(url)
        is_whole = parsed.scheme in ("http", "https") and bool(parsed.raw_host) and parsed.port is not None
    except ValueError as error:
        raise Unusable("url is not a valid address") from error
    if not is_whole or any(char.isspace() for char in parsed.raw_host or ""):
        raise Unusable("url must be a whole address that begins with http:// or https://")
    if parsed.user is not None or parsed.password is not None:
        raise Unusable("url must not contain a user or a password")
    return str(parsed.with_fragment(None))


def redirected(url: str, location: str) -> str:
    """Return where a redirect leads. Raises Unusable."""
    from yarl import URL

    try:
        return checked_url(str(URL(url).join(URL(location))))
    except (Unusable, ValueError) as error:
        raise Unusable(f"{url} redirects to an address that web_fetch cannot use", "unreachable") from error


def _reason(error: Exception) -> str:
    """Return why a page cannot be reached. Not str(error), which may name the proxy and its password."""
    import aiohttp

    match error:
        case aiohttp.ClientSSLError():
            return "no secure connection can be made"
        case aiohttp.ServerDisconnectedError():
            return "the connection was closed"
        case aiohttp.ClientPayloadError():
            return "its body broke off"
        case aiohttp.ClientResponseError():
            return "its answer is not valid HTTP"
        case OSError(errno=int(number)) if number > 0 and number in errno.errorcode:
            return os.strerror(number).lower()
        case OSError(strerror=str(words)):
            return words.lower()
    return type(error).__name__


def _session(target: CheckedTarget, *, is_pinned: bool) -> "aiohttp.ClientSession":
    import aiohttp

    resolver = target.resolver() if is_pinned else None
    # No trust_env: it would send passwords of ~/.netrc, and choose a proxy without us.
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False, force_close=True),
        timeout=aiohttp.ClientTimeout(total=None),
        cookie_jar=aiohttp.DummyCookieJar(),
        # We unpack in small steps ourselves: a packed body can grow a thousandfold.
        auto_decompress=False,
    )


async def _page_of(url: str, response: "aiohttp.ClientResponse") -> FetchedPage:
    if response.status >= 400:
        raise Unusable(f"{url} answered {response.status} {response.reason or ''}".rstrip(), "http_status")
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "") and not is_packed(coding):
        raise Unusable(f"{url} sends its body as {coding}, which cannot be read", "binary")

    async def read() -> bytes:
        return await response.content.read(_PIECE)

    body, is_cut = await _beginning(Unpacked(coding, read).read if is_packed(coding) else read)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return FetchedPage(url, response.status, kind, response.charset or "", body, is_cut)


async def _beginning(read: Callable[[], Awaitable[bytes]]) -> tuple[bytes, bool]:
    """Return the first bytes of a body, and whether there are more."""
    body = bytearray()
    while piece := await read():
        body += piece
        if len(body) > MOST_BYTES:
            return bytes(body[:MOST_BYTES]), True
    return bytes(body), False
