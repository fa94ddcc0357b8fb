"""The home page: what needs the reader, what runs and what happened; things to try; new sessions."""

import asyncio

import pytest
from playwright.async_api import Route, expect

from tests.api.server import until
from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASKS = "run mkdir -p /tmp/wakeful-example && rm -r /tmp/wakeful-example"
STARTERS = {
    "A job that wakes the agent": "Woken when the job ended",
    "A watch on a log": "Woken by the line with ERROR",
    "Two sub-agents": "Both have reported",
    "An approval": "Answered, and it went on",
}


async def test_home_shows_live_what_needs_you_what_runs_and_what_happened(
    screens: Screens, own_demo_server: PageServer
) -> None:
    server = own_demo_server
    build = server.new_session(title="Fix the build")
    server.say(build, "run sleep 1; echo no rule; exit 2 in the background")
    until(lambda: bool(server.notices(build)) and server.is_idle(build))
    screen = await screens.screen(server)
    home = screen.page.locator("#home")

    happened = home.get_by_role("region", name="While you were away")
    await expect(happened.get_by_role("listitem")).to_contain_text(
        "sleep 1; echo no rule; exit 2 failed with exit code 2"
    )
    await expect(happened).to_contain_text("woke turn 2")
    await expect(happened).to_contain_text("Fix the build: The background process")
    serving = server.new_session(title="Serve it")
    server.say(serving, "run sleep 60 in the background")
    running = home.get_by_role("region", name="Running")
    await expect(running.get_by_role("listitem")).to_have_count(1)
    await expect(running).to_contain_text("Serve it · wakes this session")
    asking = server.new_session(title="Clean up")
    server.say(asking, ASKS)
    needs = home.get_by_role("region", name="Needs you")
    await expect(needs).to_contain_text("Clean up")

    await needs.get_by_role("button", name="Deny").click()
    await expect(needs).to_be_hidden()
    await expect(home).to_be_focused()
    await running.get_by_role("button", name="Stop sleep 60").click()
    await expect(running).to_be_hidden()
    await home.get_by_role("button", name="Mark all as read").click()
    await expect(happened).to_be_hidden()
    await expect(home.get_by_text("All quiet")).to_be_visible()
    until(lambda: not server.session(build)["session"].get("unread"))
    await home.get_by_role("link", name="Fix the build").click()
    await expect(screen.page).to_have_url(f"{server.root}/s/{build}")
    await screen.page.go_back()
    await expect(home).to_be_visible()


async def test_everything_that_there_is_to_try_works(screens: Screens, own_demo_server: PageServer) -> None:
    screen = await screens.screen(own_demo_server)
    home = screen.page.locator("#home")
    cards = {name: home.get_by_role("region", name=name, exact=True) for name in STARTERS}

    for card in cards.values():
        await card.get_by_role("button").click()
        await expect(card.get_by_role("link", name="Open the session")).to_be_visible()
    await home.get_by_role("button", name="Deny").click()

    for name, card in cards.items():
        await expect(card).to_contain_text(STARTERS[name])
        await expect(card.get_by_role("button", name="Run again")).to_be_visible()
    await screen.say("hello")
    await screen.page.wait_for_url("**/s/*")
    await screen.is_idle()
    await screen.page.get_by_role("link", name="Home").click()
    await expect(home.get_by_role("region", name="Recent sessions")).to_be_visible()
    await expect(cards["An approval"]).to_be_hidden()


async def test_the_first_message_of_a_session_is_shown_before_the_server_has_it(
    screens: Screens, demo_server: PageServer
) -> None:
    screen = await screens.screen(demo_server)
    is_free = asyncio.Event()

    async def hold(route: Route) -> None:
        await is_free.wait()
        await route.continue_()

    await screen.page.route("**/api/session/new", hold)
    await screen.say("count to 3")

    await expect(screen.page.locator("#turns .said")).to_have_text("count to 3")
    is_free.set()
    await screen.shows("1 2 3")
    await expect(screen.page.locator("#turns .said")).to_have_text("count to 3")


async def test_the_key_for_what_needs_you_leads_to_the_question(screens: Screens, own_demo_server: PageServer) -> None:
    server = own_demo_server
    asking = server.new_session(title="Clean up")
    server.say(asking, ASKS)
    until(lambda: bool(server.session(asking)["approvals"]))
    screen = await screens.screen(server, server.new_session())
    await expect(screen.page.locator("#sidebar")).to_contain_text("needs you")

    await screen.page.keyboard.press("u")

    await expect(screen.page).to_have_url(f"{server.root}/s/{asking}")
    await expect(screen.page.locator("#approvals .approval")).to_be_focused()
    await expect(screen.page.locator(".composer")).to_contain_text("Waits for your answer")
