"""The lists in the settings: who is logged in, and what agents may do without asking."""

import re
from typing import Any

import orjson
import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

_IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1"
_GRANT = {
    "id": "grant_1",
    "kind": "delete_outside",
    "words": "delete outside of the folder",
    "scope": "folder",
    "session_id": None,
    "session_title": None,
    "folder": "/home/me/shop",
    "created_at": "2026-11-02T10:00:00.000Z",
    "expires_at": "2027-01-31T10:00:00.000Z",
    "last_used_at": "2026-11-03T10:00:00.000Z",
    "uses": 4,
    "example": "rm -rf /srv/data/*",
}


async def test_another_browser_is_logged_out_from_the_settings(screens: Screens, demo_server: PageServer) -> None:
    phone = await screens.browser_at(demo_server, user_agent=_IPHONE)
    screen = await screens.screen(demo_server)
    await answer_grants(screen.page, [_GRANT])

    await screen.page.get_by_role("link", name="Settings").click()
    logins = screen.page.get_by_role("region", name="Logins")
    await expect(logins.get_by_text("This browser")).to_be_visible()
    await logins.get_by_role("button", name="Log out Safari on iPhone of operator").press("Enter")

    await expect(logins.get_by_role("status")).to_have_text("Safari on iPhone is logged out.")
    await expect(logins.get_by_role("heading")).to_be_focused()
    await expect(logins.get_by_text("Safari on iPhone ·")).to_have_count(0)
    assert (await phone.request.get(f"{demo_server.root}/api/me")).status == 401
    assert (await screen.page.context.request.get(f"{demo_server.root}/api/me")).status == 200


async def test_the_settings_are_a_page_with_an_address(screens: Screens, demo_server: PageServer) -> None:
    screen = await screens.screen(demo_server, demo_server.new_session(title="A session"))
    await screen.page.get_by_role("link", name="Settings").click()
    sections = screen.page.get_by_role("navigation", name="Settings")

    await sections.get_by_role("link", name="Appearance").press("Enter")
    await expect(screen.page.get_by_role("heading", name="Appearance")).to_be_focused()
    await screen.page.reload()
    await expect(screen.page).to_have_title(re.compile("Settings · wakeful$"))
    await expect(sections.get_by_role("link", name="Appearance")).to_have_attribute("aria-current", "true")
    await expect(screen.box).to_be_hidden()
    await screen.page.keyboard.press("/")
    await expect(screen.page.get_by_label("Search sessions")).to_be_focused()
    await screen.page.go_back()
    await expect(screen.page.get_by_role("region", name="Appearance")).to_be_visible()
    await sections.get_by_role("link", name="Back to sessions").click()
    await expect(screen.page.locator("#home")).to_be_visible()


async def test_what_is_allowed_is_read_and_revoked_on_a_phone(screens: Screens, demo_server: PageServer) -> None:
    screen = await screens.screen(demo_server, viewport={"width": 360, "height": 640})
    revoked = await answer_grants(screen.page, [_GRANT])

    await screen.page.evaluate("document.querySelector('[aria-label=\"Settings\"]').click()")
    allowed = screen.page.get_by_role("region", name="Allowed without asking")
    entry = allowed.get_by_role("listitem")
    await expect(entry).to_contain_text("Delete outside of the folder")
    await expect(entry).to_contain_text("/home/me/shop and below · since")
    await expect(entry).to_contain_text("given for rm -rf /srv/data/*, used 4 times")
    assert await screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await allowed.get_by_role("button", name="Revoke: Delete outside of the folder").click()

    await expect(allowed).to_contain_text("Nothing. Every dangerous call asks first.")
    assert revoked == ["grant_1"]


async def answer_grants(page: Page, grants: list[dict[str, Any]]) -> list[str]:
    """Answer for the route of grants. Revoked ids are added to the returned list."""
    revoked: list[str] = []

    async def answer(route: Route) -> None:
        if route.request.method == "DELETE":
            revoked.append(route.request.url.partition("id=")[2])
            await route.fulfill(json={"ok": True})
        else:
            await route.fulfill(json={"grants": [grant for grant in grants if grant["id"] not in revoked]})

    await page.route("**/api/grants*", answer)
    return revoked


async def test_mcp_servers_are_listed_with_their_tools_and_started_again(
    screens: Screens, demo_server: PageServer
) -> None:
    screen = await screens.screen(demo_server)
    restarted = await answer_mcp(screen.page)

    await screen.page.get_by_role("link", name="Settings").click()
    listed = screen.page.get_by_role("region", name="MCP servers")
    await expect(listed).to_contain_text("2 tools, 1 of them only read · asks before the others")
    await expect(listed).to_contain_text("failed: uvx: command not found.")
    await listed.get_by_role("button", name="Tools of images").click()
    await expect(listed.get_by_text("scale", exact=True)).to_be_visible()
    await listed.get_by_role("button", name="Restart tickets").click()

    await expect(listed.get_by_role("status")).to_have_text("tickets is starting again.")
    assert restarted == ["tickets"]


async def answer_mcp(page: Page) -> list[str]:
    """Answer for the routes of MCP servers. The names of those to be started again are added to the returned list."""
    restarted: list[str] = []
    common = {"transport": "stdio", "restarts": 0, "trust": False}
    tools = [
        {"name": "mcp__images__scale", "tool": "scale", "read_only": False},
        {"name": "mcp__images__look", "tool": "look", "read_only": True},
    ]
    servers = [
        {"name": "images", "state": "ready", "tools": tools, "error": "", **common},
        {"name": "tickets", "state": "failed", "tools": [], "error": "uvx: command not found", **common},
    ]

    async def answer(route: Route) -> None:
        if route.request.method == "POST":
            restarted.append(orjson.loads(route.request.post_data or "{}")["name"])
            await route.fulfill(json={"ok": True})
        else:
            await route.fulfill(json={"servers": servers})

    await page.route("**/api/mcp*", answer)
    await page.route("**/api/mcp/restart", answer)
    return restarted
