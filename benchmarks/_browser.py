"""Drives Chromium through a few DevTools commands. The tests' driver listens to every request of the page, which takes
longer than the page itself.
"""

import asyncio
import itertools
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.browser.chromium import ARGUMENTS, find_chromium


class Tab:
    def __init__(self, browser: "Browser", target: str, session: str) -> None:
        self._browser = browser
        self._target = target
        self._session = session

    async def ask(self, method: str, **params: Any) -> Any:
        return await self._browser.ask(method, session=self._session, **params)

    async def value(self, expression: str) -> Any:
        reply = await self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return reply["result"].get("value")

    async def close(self) -> None:
        await self._browser.ask("Target.closeTarget", targetId=self._target)


class Browser:
    """The few commands of the DevTools protocol that the benchmark needs."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)

    async def ask(self, method: str, session: str = "", **params: Any) -> Any:
        """Send a command and return its result. Commands run one at a time; other messages are dropped."""
        number = next(self._numbers)
        where = {"sessionId": session} if session else {}
        await self._socket.send_json({"id": number, "method": method, "params": params, **where})
        while (reply := await self._socket.receive_json()).get("id") != number:
            pass
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']['message']}")
        return reply["result"]

    async def new_profile(self, cookie: dict[str, str]) -> str:
        """Create an empty profile with this cookie and return its id."""
        profile: str = (await self.ask("Target.createBrowserContext"))["browserContextId"]
        await self.ask("Storage.setCookies", cookies=[cookie], browserContextId=profile)
        return profile

    async def new_tab(self, profile: str, script: str) -> Tab:
        """Open a tab in which `script` runs before the scripts of every page."""
        created = await self.ask(
            "Target.createTarget", url="about:blank", browserContextId=profile, newWindow=True, width=1440, height=1000
        )
        attached = await self.ask("Target.attachToTarget", targetId=created["targetId"], flatten=True)
        tab = Tab(self, created["targetId"], attached["sessionId"])
        await tab.ask("Page.enable")
        await tab.ask("Page.addScriptToEvaluateOnNewDocument", source=script)
        return tab


@asynccontextmanager
async def running_browser() -> AsyncIterator[Browser]:
    folder = tempfile.mkdtemp(prefix="wakeful-bench-browser-")
    command = [find_chromium(), *ARGUMENTS, "--headless", "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    process = await asyncio.create_subprocess_exec(*command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        assert process.stderr is not None
        address = ""
        while not address:
            words = (await process.stderr.readline()).decode()
            assert words, "The browser has ended."
            address = words.partition("DevTools listening on ")[2].strip()
        async with aiohttp.ClientSession() as client, client.ws_connect(address, max_msg_size=0) as socket:
            yield Browser(socket)
    finally:
        process.terminate()
        await process.wait()
        shutil.rmtree(folder, ignore_errors=True)
