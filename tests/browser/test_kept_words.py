"""Nothing that a person wrote is lost, and nothing that they read disappears."""

import re

import pytest
from playwright.async_api import Route, expect

from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def refuse(route: Route) -> None:
    """Refuse the message as a server would. The page handles it without an error."""
    error = '{"error": {"code": "invalid_request", "message": "No such words."}}'
    await route.fulfill(status=400, content_type="application/json", body=error)


async def test_words_that_are_refused_come_back_to_the_session_they_were_written_in(
    screens: Screens, demo_server: PageServer
) -> None:
    here, there = demo_server.new_session(title="here"), demo_server.new_session(title="there")
    screen = await screens.screen(demo_server, here)
    waiting: list[Route] = []
    await screen.page.route("**/api/chat/start", lambda route: waiting.append(route))
    async with screen.page.expect_request("**/api/chat/start"):
        await screen.say("precious words")
    await screen.page.locator(f'a[data-id="{there}"]').click()
    await expect(screen.page.locator("h1")).to_have_text("there")

    await refuse(waiting[0])
    await screen.page.locator("#toasts button", has_text="Show").click()

    await expect(screen.page.locator("h1")).to_have_text("here")
    await expect(screen.box).to_have_value("precious words")
    await expect(screen.page.locator("#banners")).to_contain_text("No such words.")
    screen.errors.clear()


async def test_a_message_that_is_being_edited_survives_a_reload(screens: Screens, demo_server: PageServer) -> None:
    session_id = demo_server.new_session()
    screen = await screens.screen(demo_server, session_id)
    await screen.say("hello")
    await screen.shows("You said")
    await screen.is_idle()
    await screen.page.locator(".said__row").hover()
    await screen.page.get_by_label("Edit this message").click()
    await screen.page.keyboard.type(" again")

    await screen.page.reload()
    editor = screen.page.locator(".said__edit")
    await expect(editor).to_have_value("hello again")
    await editor.press("Enter")

    await expect(screen.page.locator(".said")).to_have_text("hello again")
    await expect(editor).to_have_count(0)


async def test_an_answer_that_is_stopped_stays_as_far_as_it_went(screens: Screens, demo_server: PageServer) -> None:
    session_id = demo_server.new_session()
    screen = await screens.screen(demo_server, session_id)
    await screen.say("count to 2000")
    await screen.shows("19 20 21")
    await screen.page.keyboard.press("Escape")
    await screen.shows("Stopped by you")

    (stored,) = demo_server.answers(session_id)
    assert stored.startswith("1 2 3")
    await expect(screen.answers).to_have_text(stored.strip())
    await screen.page.reload()
    await expect(screen.answers).to_have_text(stored.strip())


async def test_a_restored_session_is_shown_again_in_the_other_tab(screens: Screens, demo_server: PageServer) -> None:
    session_id = demo_server.new_session(title="comes back")
    browser = await screens.browser_at(demo_server)
    one, other = await screens.tab(browser, demo_server.root), await screens.tab(browser, demo_server.root)
    await one.open(session_id)
    await other.open(session_id)

    await one.page.get_by_label("Session actions").click()
    await one.page.get_by_role("menuitem", name="Delete").click()
    await other.shows("No such session")
    await one.page.locator("#toasts button", has_text="Undo").click()

    await expect(one.page.locator("h1")).to_have_text("comes back")
    await expect(other.page.locator("h1")).to_have_text("comes back")
    other.errors.clear()


async def test_words_written_after_the_login_ended_are_sent_after_the_next_one(
    screens: Screens, demo_server: PageServer
) -> None:
    session_id = demo_server.new_session()
    screen = await screens.screen(demo_server, session_id)

    async def end_login(route: Route) -> None:
        await screen.page.context.clear_cookies()
        await route.fulfill(status=401, content_type="application/json", body="{}")

    await screen.page.route("**/api/chat/start", end_login, times=1)
    await screen.say("hello after all")
    # Not `wait_for_url`, which fails when one way to the login page overtakes another.
    await expect(screen.page).to_have_url(re.compile(r"/login#next=/s/"))

    # Pasting the new link into the same tab changes only the hash: the browser does not reload the page.
    await screen.page.goto(f"{demo_server.root}/login#token={demo_server.login_token()}")

    await screen.page.wait_for_url(f"{demo_server.root}/s/{session_id}")
    await expect(screen.page.locator(".said")).to_have_text(["hello after all"])
