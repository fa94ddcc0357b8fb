"""Whatever happens to the connection, the tab or the server, the text on each screen equals the stored text."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.api.conftest import scripted
from tests.api.server import ModelEndpoint, script, until
from tests.browser.relay import Relay, relay_to
from tests.browser.screen import Screen, Screens
from tests.browser.server import PageServer, running_page_server

pytestmark = pytest.mark.asyncio(loop_scope="session")

# About two seconds of text.
LONG = script(tokens=160, rate=80)


@pytest.fixture
def relay(server: PageServer) -> Iterator[Relay]:
    with relay_to(server.root) as relay:
        yield relay


@pytest.fixture
def own_relay(own_server: PageServer) -> Iterator[Relay]:
    with relay_to(own_server.root) as relay:
        yield relay


async def until_begun(screen: Screen) -> None:
    """Wait until the answer has begun but not ended: token9 of 160 is shown."""
    await screen.shows("token9 ")


async def assert_same(server: PageServer, session_id: str, *screens: Screen) -> None:
    until(lambda: server.is_idle(session_id))
    stored = [text.strip() for text in server.answers(session_id)]
    assert stored
    for screen in screens:
        await screen.is_idle()
        await expect(screen.answers).to_have_count(len(stored))
        await expect(screen.answers.last).to_contain_text(stored[-1].split()[-1])
        assert await screen.text() == stored


async def test_a_reload_in_mid_stream(screens: Screens, server: PageServer) -> None:
    session_id = server.new_session()
    screen = await screens.screen(server, session_id)
    await screen.say(LONG)
    await until_begun(screen)

    await screen.page.reload()

    await until_begun(screen)
    await assert_same(server, session_id, screen)


async def test_a_connection_that_is_cut_and_comes_back(screens: Screens, server: PageServer, relay: Relay) -> None:
    session_id = server.new_session()
    screen = await screens.screen(server, session_id, root=relay.url)
    await screen.say(LONG)
    await until_begun(screen)

    relay.cut()
    await screen.shows("token60 ")
    relay.cut()

    await assert_same(server, session_id, screen)


async def test_a_connection_that_is_down_for_a_while(screens: Screens, server: PageServer, relay: Relay) -> None:
    session_id = server.new_session()
    screen = await screens.screen(server, session_id, root=relay.url)
    await screen.say(LONG)
    await until_begun(screen)

    relay.refuse()
    await expect(screen.page.locator(".connection--wait")).to_be_visible()
    until(lambda: server.is_idle(session_id))
    relay.allow()

    await assert_same(server, session_id, screen)
    await screen.is_live()


async def test_a_connection_that_stalls_without_an_error(
    screens: Screens, tmp_path: Path, endpoint: ModelEndpoint
) -> None:
    settings = scripted(endpoint) | {"WAKEFUL_STREAM_COMMENT_SECONDS": "0.5"}
    with running_page_server(tmp_path / "home", **settings) as server, relay_to(server.root) as relay:
        session_id = server.new_session()
        screen = await screens.screen(server, session_id, root=relay.url)
        await screen.say(LONG)
        await until_begun(screen)

        relay.stall()

        await assert_same(server, session_id, screen)


async def test_two_tabs_and_another_browser_show_the_same(screens: Screens, server: PageServer) -> None:
    session_id = server.new_session()
    context = await screens.browser_at(server)
    one, two = await screens.tab(context, server.root), await screens.tab(context, server.root)
    await one.open(session_id)
    await two.open(session_id)
    other = await screens.screen(server, session_id)

    await one.say(LONG)

    await until_begun(two)
    await until_begun(other)
    await assert_same(server, session_id, one, two, other)


async def test_a_tab_opened_in_mid_turn_shows_it_from_its_beginning(screens: Screens, server: PageServer) -> None:
    session_id = server.new_session()
    context = await screens.browser_at(server)
    first = await screens.tab(context, server.root)
    await first.open(session_id)
    await first.say(LONG)
    await until_begun(first)

    late = await screens.tab(context, server.root)
    await late.open(session_id)

    await expect(late.page.locator("#turns .said")).to_contain_text("tokens")
    await late.shows("token0 token1 ")
    await assert_same(server, session_id, first, late)


async def test_a_turn_that_another_client_starts_appears(screens: Screens, server: PageServer) -> None:
    session_id = server.new_session()
    screen = await screens.screen(server, session_id)

    server.say(session_id, LONG)

    await until_begun(screen)
    await assert_same(server, session_id, screen)


async def test_a_server_killed_in_mid_answer(screens: Screens, own_server: PageServer) -> None:
    session_id = own_server.new_session()
    screen = await screens.screen(own_server, session_id)
    await screen.say(LONG)
    await until_begun(screen)

    own_server.kill()
    own_server.start()

    await screen.shows("token159")
    await assert_same(own_server, session_id, screen)


async def test_markdown_arrives_as_it_is_stored(screens: Screens, server: PageServer) -> None:
    text = "# A head\n\nSome *words* and `code`.\n\n```python\nprint('hello')\n```\n\n- one\n- two\n"
    session_id = server.new_session()
    screen = await screens.screen(server, session_id)

    await screen.say(script(text=text))

    await expect(screen.answers.locator("h1")).to_have_text("A head")
    await expect(screen.answers.locator("pre")).to_contain_text("print('hello')")
    await expect(screen.answers.locator("li")).to_have_count(2)
    await screen.is_idle()
    live = await screen.answers.inner_html()
    await screen.page.reload()
    await expect(screen.answers.locator("li")).to_have_count(2)
    assert await screen.answers.inner_html() == live


async def test_more_tabs_than_a_browser_has_connections_are_live_on_one(
    screens: Screens, server: PageServer, relay: Relay
) -> None:
    context = await screens.browser_at(server, relay.url)
    sessions = [server.new_session() for _ in range(7)]

    async def opened(session_id: str) -> Screen:
        tab = await screens.tab(context, relay.url)
        await tab.open(session_id)
        return tab

    tabs = await asyncio.gather(*map(opened, sessions))
    for session_id in sessions:
        server.say(session_id, script(tokens=20, rate=200))
    await asyncio.gather(*(tab.shows("token19") for tab in tabs))

    assert relay.connections_for("/api/stream") == 1
