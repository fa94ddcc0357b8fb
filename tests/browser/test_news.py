"""News of other sessions comes from the log, so a broken connection loses none; a session in view makes no news."""

import re

import pytest
from playwright.async_api import expect

from tests.api.server import until
from tests.browser.relay import relay_to
from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_news_from_a_broken_connection_is_shown_afterwards(screens: Screens, own_demo_server: PageServer) -> None:
    server = own_demo_server
    reading, build = server.new_session(title="Reading"), server.new_session(title="Build")
    with relay_to(server.root) as relay:
        screen = await screens.screen(server, reading, root=relay.url)
        await expect(screen.page.locator("#sidebar")).to_contain_text("Build")
        # Once a change arrives on the stream, the page has the cursor of the news.
        server.ask("PATCH", "/api/session", json={"session_id": build, "title": "Fix the build"})
        await expect(screen.page.locator("#sidebar")).to_contain_text("Fix the build")
        relay.refuse()
        server.say(build, "run make nothing; exit 2 in the background")
        until(lambda: bool(server.notices(build)))
        relay.allow()

        toast = screen.page.locator(".toast")
        await expect(toast).to_have_count(1)
        await expect(toast).to_contain_text(re.compile("make nothing; exit 2 failed · exit code 2.*in Fix the build"))
        await toast.get_by_role("button", name="Open").click()
        await expect(screen.page).to_have_url(f"{relay.url}/s/{build}")
        await expect(screen.wakeups).to_have_count(1)
        await expect(toast).to_have_count(0)


async def test_a_match_is_shown_as_a_match_and_a_session_in_view_makes_no_news(
    screens: Screens, own_demo_server: PageServer
) -> None:
    server = own_demo_server
    screen = await screens.screen(server)
    await screen.say("run echo seen in the background")
    await expect(screen.wakeups).to_have_count(1)
    other = server.new_session(title="The server")
    server.say(other, "watch echo an ERROR; sleep 60 for ERROR")

    toast = screen.page.locator(".toast")
    await expect(toast).to_contain_text("printed “ERROR”")
    await expect(toast).to_have_count(1)


async def test_a_hidden_page_uses_system_notifications_and_a_click_opens_the_session(
    notified_screens: Screens, own_demo_server: PageServer
) -> None:
    server, screens = own_demo_server, notified_screens
    context = await screens.browser_at(server, permissions=["notifications"])
    await context.add_init_script(
        """localStorage.setItem("wakeful.settings", JSON.stringify({notify: true}));
        Object.defineProperty(document, "hidden", {get: () => true});"""
    )
    screen = await screens.tab(context, server.root)
    await screen.page.goto(server.root)
    # A job that ends before the first frame has come, which has the cursor of the news, is no news to the page.
    await screen.is_live()
    build = server.new_session(title="Fix the build")
    server.say(build, "run exit 2 in the background")

    shown = await screen.page.evaluate(
        """async () => {
            const registration = await navigator.serviceWorker.ready;
            for (;;) {
                const [note] = await registration.getNotifications();
                if (note) return [note.title, note.body, note.data.session];
                await new Promise((resolve) => setTimeout(resolve, 50));
            }
        }"""
    )
    # What the worker sends on a click. A browser raises a window only after a real click.
    await context.service_workers[0].evaluate("session => openSession(session).catch(() => {})", build)
    await expect(screen.page).to_have_url(f"{server.root}/s/{build}")
    assert shown == ["exit 2 failed · exit code 2", "in Fix the build", build]
