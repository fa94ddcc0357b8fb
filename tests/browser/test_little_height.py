"""Low screens: at 200 % zoom, or on a phone in landscape, questions can be read and answered."""

import re
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.api.server import script, until
from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

# A window of 1440 by 900 at 200 %.
ZOOMED: dict[str, Any] = {"viewport": {"width": 720, "height": 450}, "device_scale_factor": 2}
COMMANDS = ("rm -rf /var/tmp/one", "git reset --hard && rm -rf /srv/data/*")


async def test_questions_can_be_read_and_answered_one_after_the_other_at_200_percent(
    screens: Screens, server: PageServer
) -> None:
    session_id = server.new_session()
    calls = [{"name": "terminal", "arguments": {"command": command}} for command in COMMANDS]
    server.say(session_id, script(text="Done.", calls=calls))
    until(lambda: len(server.session(session_id)["approvals"]) == len(COMMANDS))
    screen = await screens.screen(server, session_id, **ZOOMED)
    cards = screen.page.locator("#approvals .approval")
    await expect(cards).to_have_count(2)
    await expect(cards.first).to_contain_text("1 of 2")

    assert await screen.page.locator("#transcript").evaluate("element => element.clientHeight") >= 64
    assert await screen.page.evaluate("document.documentElement.scrollWidth") == 720
    for part in (
        cards.first.locator(".approval__cmd"),
        *[_answer(cards.first, name) for name in ("Deny", "Allow once")],
    ):
        await expect(part).to_be_in_viewport(ratio=1)
    # No answer has the focus: a stray Enter must not answer anything.
    assert await screen.page.evaluate("document.activeElement.closest('.approval')") is None

    await _answer(cards.first, "Deny").click()
    await expect(cards).to_have_count(1)
    await _answer(cards.first, "Deny").click()

    await expect(cards).to_have_count(0)
    await expect(screen.page.locator("#turns .approval--done")).to_have_count(2)
    await screen.is_idle()


async def test_the_timeline_is_one_line_until_it_is_opened(screens: Screens, server: PageServer) -> None:
    session_id = server.new_session()
    server.say(session_id, script(text="Done."))
    until(lambda: server.is_idle(session_id))
    screen = await screens.screen(server, session_id, **ZOOMED)
    line = screen.page.locator(".timeline__line")
    await expect(screen.page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
    await expect(line).to_have_text(re.compile(r"^Turn 1 done\s*Show timeline$"))
    await expect(screen.page.locator(".timeline svg")).to_be_hidden()

    await line.click()

    await expect(screen.page.locator(".timeline svg")).to_be_visible()
    await expect(line).to_contain_text("Hide timeline")


def _answer(card: Locator, name: str) -> Locator:
    return card.get_by_role("button", name=name, exact=True)
