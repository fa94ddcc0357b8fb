"""A real Chromium and a real server. Each process of the test run has one browser and one server; tests that kill
their server start a separate one.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.api.conftest import scripted
from tests.api.server import ModelEndpoint, running_endpoint
from tests.browser.chromium import ARGUMENTS, find_chromium, find_quick_chromium
from tests.browser.screen import Screens
from tests.browser.server import PageServer, running_page_server
from tests.held_job import HeldJob


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    async with launched(find_quick_chromium()) as browser:
        yield browser


@asynccontextmanager
async def launched(program: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def endpoint() -> Iterator[ModelEndpoint]:
    with running_endpoint() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, endpoint: ModelEndpoint) -> Iterator[PageServer]:
    """A server whose model is the scripted endpoint."""
    with running_page_server(tmp_path_factory.mktemp("home"), **scripted(endpoint)) as server:
        yield server


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """A server with the demonstration model, which understands simple requests."""
    with running_page_server(tmp_path_factory.mktemp("home")) as server:
        yield server


@pytest.fixture
def own_server(tmp_path: Path, endpoint: ModelEndpoint) -> Iterator[PageServer]:
    """A server for one test, which may kill it."""
    with running_page_server(tmp_path / "home", **scripted(endpoint)) as server:
        yield server


@pytest.fixture
def own_demo_server(tmp_path: Path) -> Iterator[PageServer]:
    with running_page_server(tmp_path / "home") as server:
        yield server


@pytest.fixture
def job(tmp_path: Path) -> HeldJob:
    return HeldJob(tmp_path / "over")


@pytest_asyncio.fixture(loop_scope="session")
async def screens(chromium: Browser) -> AsyncIterator[Screens]:
    """Opens browsers, checks them for errors, and closes them at the end."""
    async with Screens(chromium) as screens:
        yield screens


@pytest_asyncio.fixture(loop_scope="session")
async def notified_screens() -> AsyncIterator[Screens]:
    """Screens of a browser that shows notifications of the system."""
    async with launched(find_chromium()) as browser, Screens(browser) as screens:
        yield screens
