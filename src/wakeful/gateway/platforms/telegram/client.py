"""Requests to the Bot API. The only file here that knows aiohttp, which is imported when first used.

The token is part of every address, and aiohttp's errors may quote the address: none of them is passed on or chained.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import orjson

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import NotTaken, Refused, Unanswered
from wakeful.gateway.platforms.telegram.wire import TgFilePath, TgReply
from wakeful.opened_files import open_file

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")

_CONNECT_SECONDS = 10.0
# 50 MB, the most that Telegram takes, over a slow line.
_UPLOAD_SECONDS = 300.0
_CHUNK_BYTES = 64 * 1024
_JSON = {"content-type": "application/json"}


class TelegramRefusal(WakefulError):
    """Telegram has answered that it will not do what it was asked for."""

    def __init__(self, code: int, description: str, migrated_to: int | None = None) -> None:
        super().__init__(f"Telegram answered {code}: {description or 'nothing more'}")
        self.code = code
        self.description = description
        # The group is a supergroup now, with this id.
        self.migrated_to = migrated_to

    def says(self, *phrases: str) -> bool:
        """Telegram has one code for most refusals: only the words tell them apart."""
        said = self.description.lower()
        return any(phrase in said for phrase in phrases)


class TelegramClient:
    def __init__(self, token: str, api_url: str, *, timeout: float) -> None:
        root = api_url.rstrip("/")
        self._methods = f"{root}/bot{token}"
        self._files = f"{root}/file/bot{token}"
        self._timeout = timeout
        self._session: aiohttp.ClientSession | None = None

    async def call(self, method: str, kind: type[T], *, extra_seconds: float = 0.0, **params: Any) -> T:
        """Return the result as a value of `kind`. Asks once.

        `extra_seconds`: how much longer than other requests this one may take. Raises TelegramRefusal, NotTaken where
        the request has surely not been acted on, and Unanswered where that is not known.
        """
        return await self._request(method, kind, orjson.dumps(params), _JSON, extra_seconds)

    async def upload(self, method: str, kind: type[T], name: str, path: Path, **params: Any) -> T:
        """Call a method with a file as the parameter `name`. Raises as `call` does, and OSError for the file."""
        import aiohttp

        with await asyncio.to_thread(open_file, path) as file:
            form = aiohttp.FormData()
            for key, value in params.items():
                form.add_field(key, value if isinstance(value, str) else orjson.dumps(value).decode())
            form.add_field(name, file, filename=path.name)
            return await self._request(method, kind, form, {}, _UPLOAD_SECONDS)

    async def download(self, file_id: str) -> AsyncIterator[bytes]:
        """Yield the bytes of a received file. Raises Refused where Telegram does not hand it out, else as `call`."""
        try:
            found = await self.call("getFile", TgFilePath, file_id=file_id)
        except TelegramRefusal as refusal:
            raise Refused(f"Telegram does not hand out the file: {refusal.description}") from None
        # A Bot API server of one's own in local mode names a file on its disk.
        is_local = found.file_path.startswith("/")
        pieces = _read_local(Path(found.file_path)) if is_local else self._fetch(found.file_path)
        async for piece in pieces:
            yield piece

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _request(
        self, method: str, kind: type[T], data: Any, headers: Mapping[str, str], extra_seconds: float = 0.0
    ) -> T:
        with _own_errors():
            async with self._opened.post(
                f"{self._methods}/{method}",
                data=data,
                headers=headers,
                # A POST that is redirected would go on as a GET, without its body.
                allow_redirects=False,
                timeout=_timeout(total=self._timeout + extra_seconds),
            ) as response:
                status, reason, body = response.status, response.reason, await response.read()
        return _result(status, reason or "", body, kind)

    async def _fetch(self, file_path: str) -> AsyncIterator[bytes]:
        with _own_errors():
            async with self._opened.get(
                f"{self._files}/{file_path}", allow_redirects=False, timeout=_timeout(sock_read=self._timeout)
            ) as response:
                if 400 <= response.status < 500:
                    raise Refused(f"Telegram does not hand out the file: it answered {response.status}.")
                if response.status != 200:
                    raise Unanswered(f"Telegram answered {response.status} instead of a file.")
                async for piece in response.content.iter_chunked(_CHUNK_BYTES):
                    yield piece

    @property
    def _opened(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.DummyCookieJar(), trust_env=True
            )
        return self._session


def _timeout(total: float | None = None, sock_read: float | None = None) -> "aiohttp.ClientTimeout":
    import aiohttp

    return aiohttp.ClientTimeout(total=total, sock_connect=_CONNECT_SECONDS, sock_read=sock_read)


@contextmanager
def _own_errors() -> Iterator[None]:
    """Say whether a request that broke may have arrived."""
    import aiohttp

    try:
        yield
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError) as error:
        raise NotTaken(f"Telegram cannot be reached ({_reason(error)}).") from None
    except aiohttp.InvalidURL:
        raise NotTaken("Telegram cannot be reached: WAKEFUL_TELEGRAM_API_URL is no address.") from None
    except TimeoutError:
        raise Unanswered("Telegram did not answer in time.") from None
    except (aiohttp.ClientError, OSError) as error:
        raise Unanswered(f"The line to Telegram was cut ({_reason(error)}).") from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__


def _result(status: int, reason: str, body: bytes, kind: type[T]) -> T:
    if status >= 500:
        raise Unanswered(f"Telegram answered {status}.")
    try:
        reply = msgspec.json.decode(body, type=TgReply)
        if reply.ok:
            return msgspec.json.decode(reply.result, type=kind)
    except (msgspec.DecodeError, RecursionError):
        if status < 300:
            raise Unanswered("Telegram's answer cannot be read.") from None
        # Of a proxy, or of a server that is no Bot API.
        reply = TgReply(ok=False, error_code=status, description=reason)
    raise _refusal(reply, status)


def _refusal(reply: TgReply, status: int) -> WakefulError:
    code = reply.error_code or status
    if code >= 500:
        return Unanswered(f"Telegram answered {code}: {reply.description}")
    if code == 429:
        seconds = reply.parameters.retry_after
        return NotTaken(f"Telegram wants us to wait {seconds:g} s.", seconds=seconds)
    return TelegramRefusal(code, reply.description, reply.parameters.migrate_to_chat_id)


async def _read_local(path: Path) -> AsyncIterator[bytes]:
    try:
        file = await asyncio.to_thread(path.open, "rb")
    except OSError as error:
        raise Refused(f"The Bot API server has put the file where it cannot be read ({error.strerror}).") from None
    with file:
        while piece := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            yield piece
