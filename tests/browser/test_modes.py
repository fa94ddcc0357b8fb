"""The menu of the message box that says how much the agent may do without asking."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_mode_is_chosen_before_the_first_message_and_another_one_in_the_session(
    screens: Screens, demo_server: PageServer
) -> None:
    screen = await screens.screen(demo_server)
    page = screen.page
    button = page.get_by_role("button", name=re.compile("^Permissions: "))
    await button.click()
    await page.get_by_role("menuitemradio", name="Ask first").click()
    await expect(button).to_have_accessible_name("Permissions: Ask first")

    await screen.say("write a.txt: hello")
    await page.get_by_role("button", name="Allow once").click()
    await expect(page.locator("#turns")).to_contain_text("Wrote 5 bytes to a.txt")

    await button.press("Enter")
    chosen = page.get_by_role("menuitemradio", name="Ask first")
    await expect(chosen).to_have_attribute("aria-checked", "true")
    await expect(chosen).to_be_focused()
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await expect(button).to_have_accessible_name("Permissions: Read only")
    await screen.say("write b.txt: hello")
    await expect(page.locator("#turns")).to_contain_text("This session may only read. Accept edits would allow it.")

    await page.reload()
    await expect(button).to_have_accessible_name("Permissions: Read only")
