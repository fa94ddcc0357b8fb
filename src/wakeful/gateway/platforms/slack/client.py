"""Requests to Slack's Web API, and the files that lie beside it. Each request is made once: nothing here tries again.

Errors of the SDK and of aiohttp may quote addresses that let their holder in: none of them is passed on or chained.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import NotTaken, Refused, Unanswered
from wakeful.opened_files import open_file

_CONNECT_SECONDS = 10.0
_CHUNK_BYTES = 64 * 1024
# Slack says of these that the request may have been carried out, in whole or in part.
_BROKEN = frozenset({"fatal_error", "internal_error", "service_unavailable"})
_LIMITED = frozenset({"ratelimited", "rate_limited"})

# What the SDK would log are words of people, proxies with their passwords, and addresses with tickets in them.
SDK_LOGGER = logging.getLogger(f"{__name__}.sdk")
SDK_LOGGER.setLevel(logging.CRITICAL)


class SlackRefusal(WakefulError):
    """Slack has answered that it will not do what it was asked for."""

    def __init__(self, method: str, code: str) -> None:
        super().__init__(f"Slack refused {method}: {code}")
        # Slack's own word for the reason.
        self.code = code


class SlackClient:
    def __init__(self, bot_token: str, app_token: str, api_url: str, *, timeout: float) -> None:
        self._bot_token = bot_token
        self._app_token = app_token
        self._api_url = api_url
        self._timeout = timeout
        self._opened_session: aiohttp.ClientSession | None = None
        self._opened_web: AsyncWebClient | None = None

    @property
    def session(self) -> aiohttp.ClientSession:
        if self._opened_session is None:
            self._opened_session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=self._timeout, sock_connect=_CONNECT_SECONDS),
                trust_env=True,
            )
        return self._opened_session

    @property
    def web(self) -> AsyncWebClient:
        if self._opened_web is None:
            self._opened_web = AsyncWebClient(
                self._bot_token, base_url=self._api_url, session=self.session, logger=SDK_LOGGER, retry_handlers=[]
            )
            # The SDK has read it from the environment, and would use it for hosts that are to be asked directly too.
            self._opened_web.proxy = None
        return self._opened_web

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return what Slack answers to a method of its API, such as `chat.postMessage`.

        Raises SlackRefusal, NotTaken where the request has surely not been acted on, and Unanswered where it may have.
        """
        ask = getattr(self.web, method.replace(".", "_"))
        with _own_errors(method):
            return dict((await ask(**params)).data)

    async def call_form(self, method: str, **params: str) -> dict[str, Any]:
        """Like `call`, with all parameters in the body, where the SDK would write them into the address."""
        with _own_errors(method):
            answer: Any = (await self.web.api_call(method, data=params)).data
            return dict(answer)

    async def scopes(self) -> frozenset[str]:
        """Return what the bot token allows; nothing where Slack does not say."""
        with _own_errors("auth.test"):
            headers = (await self.web.auth_test()).headers
        return frozenset(scope.strip() for scope in headers.get("x-oauth-scopes", "").split(",") if scope.strip())

    async def open_line(self) -> str:
        """Return the address of a new Socket Mode connection."""
        return str((await self.call("apps.connections.open", app_token=self._app_token))["url"])

    async def answer(self, response_url: str, body: Mapping[str, Any]) -> None:
        """Post to the address that came with a press of a button."""
        with _own_errors("the answer to a press"):
            async with self.session.post(response_url, json=body) as response:
                if response.status >= 400:
                    raise SlackRefusal("the answer to a press", f"HTTP {response.status}")

    async def upload(self, url: str, path: Path) -> None:
        """Bring the bytes of a file to the address that Slack has named. Raises NotTaken: no message shows them yet."""
        try:
            with await asyncio.to_thread(open_file, path) as file:
                async with self.session.post(url, data=file, timeout=_unlimited(self._timeout)) as response:
                    if response.status != 200:
                        raise NotTaken(f"Slack took no file: it answered {response.status}.")
        except (aiohttp.ClientError, TimeoutError) as error:
            raise NotTaken(f"The line to Slack was cut ({_reason(error)}).") from None

    async def download(self, url: str) -> AsyncIterator[bytes]:
        """Yield the bytes of a received file. Raises Refused where Slack does not hand it out, else as `call`."""
        headers = {"authorization": f"Bearer {self._bot_token}"} if self._is_slacks(URL(url)) else {}
        with _own_errors("a file"):
            # Without the right to read files Slack leads to its login page.
            async with self.session.get(
                url, headers=headers, allow_redirects=False, timeout=_unlimited(self._timeout)
            ) as response:
                if response.status >= 500 or response.status == 429:
                    raise Unanswered(f"Slack answered {response.status} instead of a file.")
                if response.status != 200:
                    raise Refused(
                        f"Slack does not hand out the file: it answered {response.status}. "
                        "The app needs the scope files:read."
                    )
                async for piece in response.content.iter_chunked(_CHUNK_BYTES):
                    yield piece

    async def close(self) -> None:
        session, self._opened_session, self._opened_web = self._opened_session, None, None
        if session is not None:
            await session.close()

    def _is_slacks(self, url: URL) -> bool:
        """Whether the token may be shown there: files that lie elsewhere have addresses too."""
        api = URL(self._api_url)
        if url.origin() == api.origin():
            return True
        return url.scheme == "https" and f".{url.host}".endswith(".slack.com")


def _unlimited(sock_read: float) -> aiohttp.ClientTimeout:
    """A large file may take its time, as long as it moves."""
    return aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS, sock_read=sock_read)


@contextmanager
def _own_errors(method: str) -> Iterator[None]:
    """Say whether a request that failed may have been acted on."""
    try:
        yield
    except SlackApiError as error:
        raise _meaning(method, error.response) from None
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError) as error:
        raise NotTaken(f"Slack cannot be reached ({_reason(error)}).") from None
    except aiohttp.InvalidURL:
        raise NotTaken("Slack cannot be reached: WAKEFUL_SLACK_API_URL is no address.") from None
    except TimeoutError:
        raise Unanswered("Slack did not answer in time.") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise Unanswered(f"The line to Slack was cut ({_reason(error)}).") from None


def _meaning(method: str, response: Any) -> WakefulError:
    """`response` is the SDK's, or aiohttp's where the SDK could not read the body."""
    status: int = getattr(response, "status_code", None) or response.status
    data = getattr(response, "data", None)
    code = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == 429 or code in _LIMITED:
        seconds = _seconds(response.headers)
        return NotTaken(f"Slack wants us to wait {seconds:g} s.", seconds=seconds)
    if status >= 500 or code in _BROKEN:
        return Unanswered(f"Slack answered {code or status}.")
    if code:
        return SlackRefusal(method, code)
    if status < 300:
        return Unanswered("Slack's answer cannot be read.")
    # Of a proxy, or of a server that is not Slack.
    return NotTaken(f"Slack cannot be reached: something answered {status}. Check WAKEFUL_SLACK_API_URL.")


def _seconds(headers: Mapping[str, str]) -> float:
    try:
        return float(headers.get("Retry-After", "1"))
    except ValueError:
        return 1.0


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__
