"""What the agent changes and plans, on the page: diffs, undo, and the plan."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.api.server import script
from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


async def test_edits_are_undone_on_their_card_and_with_their_turn(
    screens: Screens, server: PageServer, tmp_path: Path
) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).write_text("old\n")
    session_id = server.new_session(workspace=str(tmp_path))
    screen = await screens.screen(server, session_id)
    other = await screens.tab(screen.page.context, server.root)
    await other.open(session_id)
    edits = [call("edit_file", path=name, old_text="old", new_text="new") for name in ("one", "two", "three")]
    await screen.say(script(calls=edits, text="Done."))
    rows = screen.page.locator("#turns .tool")
    await expect(screen.page.get_by_role("button", name="Undo 3 edits")).to_be_visible()

    await rows.nth(0).locator("summary").click()
    await expect(rows.nth(0).locator(".diff")).to_contain_text("old")
    await rows.nth(0).get_by_role("button", name="Undo this edit").press("Enter")
    await expect(other.page.locator("#turns .tool").nth(0)).to_contain_text("undone by you")
    assert (tmp_path / "one").read_text() == "old\n"
    await expect(rows.nth(0).locator("summary")).to_be_focused()

    (tmp_path / "two").write_text("mine\n")
    await screen.page.get_by_role("button", name="Undo 2 edits").click()
    await expect(rows.nth(2)).to_contain_text("undone by you")
    await expect(rows.nth(1)).to_contain_text("The file was changed since.")
    assert [(tmp_path / name).read_text() for name in ("two", "three")] == ["mine\n", "old\n"]
    await expect(screen.page.locator(".turn__undo")).to_have_count(0)

    await rows.nth(1).locator("summary").click()
    await rows.nth(1).get_by_role("button", name="Undo all the same").click()
    await expect(rows.nth(1)).to_contain_text("undone by you")
    assert (tmp_path / "two").read_text() == "old\n"


async def test_the_plan_is_in_the_drawer_and_follows_the_agent(screens: Screens, server: PageServer) -> None:
    session_id = server.new_session()
    screen = await screens.screen(server, session_id)
    plan = screen.page.locator(".drawer .plan li")
    items = [{"id": "1", "text": "Read", "status": "active"}, {"id": "2", "text": "Mend"}]
    await screen.say(script(calls=[call("todo", items=items)]))
    await expect(plan).to_have_text(["Read, now", "Mend"])
    await expect(screen.page.locator(".drawer h2")).to_have_text("Plan and background")
    await expect(screen.page.locator("#turns .tool")).to_contain_text("Read")

    changes = [{"id": "1", "status": "done"}, {"id": "2", "status": "active"}]
    await screen.say(script(calls=[call("todo", items=changes)]))
    await expect(plan).to_have_text(["Read, done", "Mend, now"])
    await expect(screen.page.locator("#turns .tool").nth(1)).to_contain_text("1 of 2 done")
    await screen.page.reload()
    await expect(plan).to_have_text(["Read, done", "Mend, now"])
