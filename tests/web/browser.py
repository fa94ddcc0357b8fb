"""A browser: it sends its cookie, and with writes the origin of its page."""

import asyncio
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson

from tests.patience import PATIENCE
from tests.web.kit import Reply, Served


@dataclass(slots=True)
class Browser:
    """Shows our own page, unless a test sets another origin."""

    web: Served
    cookie: str = ""
    # The Set-Cookie header of the last answer.
    set_cookie: str = ""
    # The origin of the page that it shows; empty: it sends none.
    origin: str | None = None

    def __post_init__(self) -> None:
        if self.origin is None:
            self.origin = self.web.url

    @property
    def cookie_name(self) -> str:
        return f"wakeful_session_{self.web.url.rpartition(':')[2]}"

    async def get(self, path: str, **headers: str) -> Reply:
        return await self.send("GET", path, headers=headers)

    async def post(self, path: str, body: Any = None, **headers: str) -> Reply:
        return await self.send("POST", path, body, headers=headers)

    async def send(self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None) -> Reply:
        sent = {"Accept-Encoding": "identity"}
        if self.cookie:
            sent["Cookie"] = f"{self.cookie_name}={self.cookie}"
        if self.origin and method not in ("GET", "HEAD"):
            sent["Origin"] = self.origin
        async with asyncio.timeout(PATIENCE), aiohttp.ClientSession(self.web.url, auto_decompress=False) as http:
            data = None if body is None else orjson.dumps(body)
            how: dict[str, Any] = {"data": data, "headers": sent | (headers or {}), "allow_redirects": False}
            async with http.request(method, path, **how) as response:
                raw = await response.read()
        self.set_cookie = response.headers.get("set-cookie", "")
        is_json = response.headers.get("content-type", "") == "application/json"
        return Reply(response.status, orjson.loads(raw) if is_json else raw, response.headers)

    async def log_in(self, **proof: str) -> Reply:
        reply = await self.post("/api/login", proof)
        if reply.status == 200:
            self.cookie = self.set_cookie.partition(";")[0].partition("=")[2]
        return reply


async def new_token(web: Served, who: str = "operator", **body: str) -> str:
    reply = await web.post("/api/login/link", body, who)
    assert reply.status == 200, reply.json
    return str(reply.json["url"].rpartition("#token=")[2])


async def logged_in(web: Served, who: str = "ann") -> Browser:
    browser = Browser(web)
    assert (await browser.log_in(token=await new_token(web, who))).status == 200
    return browser
