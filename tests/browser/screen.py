"""Drives the page as a person would: tabs of one browser, or of several."""

import re
from types import TracebackType
from typing import Any, Self

from playwright.async_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from tests.browser.server import PageServer
from tests.patience import PATIENCE

# Chromium's console errors for a broken connection or a missing login. Every other console error fails the test.
_EXPECTED_ERRORS = ("net::ERR_", "status of 401", "Failed to load resource: the server responded with a status of 503")
_DESKTOP: ViewportSize = {"width": 1440, "height": 1000}

expect.set_options(timeout=PATIENCE * 1000)


class Screen:
    """One tab."""

    def __init__(self, page: Page, root: str) -> None:
        self.page = page
        self.root = root
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._on_console)

    @property
    def session_id(self) -> str:
        return self.page.url.rpartition("/s/")[2]

    @property
    def answers(self) -> Locator:
        return self.page.locator("#turns .answer .prose")

    @property
    def wakeups(self) -> Locator:
        return self.page.locator("#turns .wake")

    @property
    def box(self) -> Locator:
        return self.page.locator("#message")

    async def open(self, session_id: str = "") -> None:
        await self.page.goto(f"{self.root}/s/{session_id}" if session_id else self.root)
        await self.is_live()

    async def is_live(self) -> None:
        await expect(self.page.locator(".connection--live")).to_be_visible()

    async def say(self, words: str) -> None:
        await self.box.fill(words)
        await self.box.press("Enter")

    async def text(self) -> list[str]:
        """Return the agent's answers as the screen shows them."""
        texts = await self.answers.all_text_contents()
        return [text.strip() for text in texts if text.strip()]

    async def shows(self, words: str | re.Pattern[str]) -> None:
        await expect(self.page.locator("#turns")).to_contain_text(words)

    async def is_idle(self) -> None:
        """Wait until the screen shows no running turn."""
        await expect(self.page.locator("#turns .turn--live")).to_have_count(0)

    def _on_console(self, message: Any) -> None:
        is_expected = any(words in message.text for words in _EXPECTED_ERRORS)
        if message.type == "error" and not is_expected:
            self.errors.append(message.text)


class Screens:
    """Closes all that a test has opened at its end. A screen with an error fails the test."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._screens: list[Screen] = []

    async def browser_at(
        self, server: PageServer, root: str = "", name: str = "operator", **how: Any
    ) -> BrowserContext:
        """Return a new browser that is logged in as this person."""
        context = await self._browser.new_context(**{"viewport": _DESKTOP} | how)
        self._contexts.append(context)
        root = root or server.root
        # The request of the login page, without loading it.
        login = await context.request.post(
            f"{root}/api/login", data={"token": server.login_token(name)}, headers={"origin": root}
        )
        assert login.ok, await login.text()
        return context

    async def new_browser(self) -> BrowserContext:
        """Return a new browser that is not logged in."""
        context = await self._browser.new_context(viewport=_DESKTOP)
        self._contexts.append(context)
        return context

    async def tab(self, context: BrowserContext, root: str) -> Screen:
        screen = Screen(await context.new_page(), root)
        self._screens.append(screen)
        return screen

    async def screen(self, server: PageServer, session_id: str = "", root: str = "", **how: Any) -> Screen:
        """Return a tab of a new browser that shows this session."""
        root = root or server.root
        screen = await self.tab(await self.browser_at(server, root, **how), root)
        await screen.open(session_id)
        return screen

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for context in self._contexts:
            await context.close()
        if error is None:
            errors = [found for screen in self._screens for found in screen.errors]
            assert not errors, errors
