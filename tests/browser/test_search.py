"""The search of the sidebar shows the hit in its message and opens it there."""

import pytest
from playwright.async_api import expect

from tests.api.server import until
from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_search_shows_the_words_in_their_message_and_leads_to_it(
    screens: Screens, demo_server: PageServer
) -> None:
    session = demo_server.new_session(title="Long ago")
    demo_server.new_session(title="Something else")
    said = ["Where was the <b>Zebrafish</b> in the report?", "time"]
    for words in said:
        demo_server.say(session, words)
        until(lambda: demo_server.is_idle(session))
    screen = await screens.screen(demo_server)
    # Low enough that the start of the session is out of view.
    await screen.page.set_viewport_size({"width": 1200, "height": 420})

    await screen.page.get_by_role("searchbox", name="Search sessions").fill("zebra")
    row = screen.page.locator(".session-row")
    await expect(row).to_have_count(1)
    await expect(row.locator(".session__snippet")).to_contain_text("Where was the <b>Zebrafish</b> in the report?")
    await expect(row.locator("mark")).to_have_text("Zebra")

    await row.locator("a.session").click()
    await expect(screen.page.locator("#turns").get_by_text("Zebrafish").last).to_be_in_viewport()
