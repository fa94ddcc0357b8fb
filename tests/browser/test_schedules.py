"""The page of schedules: made, read in words, changed, run and removed."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.api.server import until
from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

_BERLIN = "Europe/Berlin"


async def test_a_schedule_is_made_from_an_example_run_now_and_paused(
    screens: Screens, own_demo_server: PageServer
) -> None:
    screen = await screens.screen(own_demo_server, timezone_id=_BERLIN)
    page = screen.page
    await page.get_by_role("link", name="Schedules").click()
    await page.get_by_role("button", name="Use: Morning report").click()

    await expect(page.get_by_label("What to ask")).to_be_focused()
    await page.get_by_label("What to ask").fill("count to 3")
    says = page.get_by_role("status").filter(has_text="That is")
    await expect(says).to_contain_text("Monday to Friday at 08:00, Berlin")
    await expect(says.get_by_role("listitem")).to_have_count(5)
    await expect(says.get_by_role("listitem").first).to_contain_text("08:00")
    await page.get_by_role("button", name="Save").click()
    await expect(page).to_have_url(re.compile(r"/schedules/cron_"))
    await expect(page).to_have_title(re.compile("Schedules · wakeful$"))
    await expect(page.get_by_text(re.compile(r"^Next run .* at 08:00, in "))).to_be_visible()
    await page.get_by_role("button", name="Pause").click()
    row = page.get_by_role("region", name="All schedules").get_by_role("link", name="Morning report")
    await expect(row).to_contain_text("paused")

    await page.get_by_role("button", name="Run now").click()
    run = page.get_by_role("region", name="Runs").get_by_role("listitem")
    await expect(run).to_contain_text("Answered")
    await expect(run).to_contain_text("started by hand")
    await expect(row).to_contain_text("ran at")
    await run.get_by_role("link", name="Open").click()
    await screen.shows("1 2 3")
    await expect(page.locator("#turns article").first).to_be_focused()
    await page.go_back()
    await page.get_by_role("button", name="Resume").click()
    await expect(row).not_to_contain_text("paused")


async def test_a_refusal_is_shown_at_the_field_that_is_wrong(screens: Screens, demo_server: PageServer) -> None:
    job = add(demo_server, name="Taken")
    screen = await opened(screens, demo_server, "/new")
    page = screen.page
    await page.get_by_label("What to ask").fill("count to 3")
    when, name = page.get_by_label("When", exact=True), page.get_by_label("Name")

    await when.fill("every 5x")
    await expect(when).to_have_accessible_description(re.compile("^'every 5x' cannot be read"))
    await when.fill("every 5h")
    await expect(when).not_to_have_attribute("aria-invalid", "true")
    await name.fill("Taken")
    await page.get_by_role("button", name="Save").click()

    await expect(name).to_be_focused()
    await expect(name).to_have_accessible_description("There is a schedule named Taken already.")
    await expect(page).to_have_url(f"{demo_server.root}/schedules/new")
    # Chromium reports every refusal as an error of the page.
    assert all("status of 400" in error for error in screen.errors)
    screen.errors.clear()
    demo_server.ask("DELETE", f"/api/cron/{job['id']}")


async def test_runs_and_changes_of_others_appear_while_the_page_is_open(
    screens: Screens, own_demo_server: PageServer
) -> None:
    server = own_demo_server
    job = add(server, name="Watch", prompt="count to 3")
    page = (await opened(screens, server, f"/{job['id']}")).page
    await page.get_by_label("What to ask").fill("count to 5")

    server.ask("PATCH", f"/api/cron/{job['id']}", json={"name": "Look out", "prompt": "count to 4"})
    for _ in range(2):
        server.ask("POST", f"/api/cron/{job['id']}/run", json={})
        until(lambda: is_over(server, job))

    runs = page.get_by_role("region", name="Runs").get_by_role("listitem")
    await expect(runs).to_have_count(2)
    await expect(runs.filter(has_text="Answered")).to_have_count(2)
    await expect(page.get_by_role("heading", name="Look out")).to_be_visible()
    await expect(page.get_by_label("Name")).to_have_value("Look out")
    await expect(page.get_by_label("What to ask")).to_have_value("count to 5")
    await expect(page.get_by_text("changed, not saved")).to_be_visible()


async def test_on_a_phone_a_schedule_is_opened_left_and_removed(screens: Screens, own_demo_server: PageServer) -> None:
    server = own_demo_server
    job = add(server, name="Watch the certificates of all the machines, wherever they may be", prompt="word" * 60)
    other = add(server, name="Evening report", schedule="0 19 * * *")
    page = (await opened(screens, server, viewport={"width": 360, "height": 640})).page
    rows = page.get_by_role("region", name="All schedules").get_by_role("link")

    await rows.filter(has_text="Watch").click()
    await expect(page.get_by_role("heading", name="Watch")).to_be_focused()
    await expect(rows).to_have_count(0)
    await fits(page)
    await page.get_by_role("link", name="All schedules").click()
    await expect(rows.filter(has_text="Watch")).to_be_focused()
    await fits(page)

    await rows.filter(has_text="Watch").click()
    await page.get_by_role("button", name="More").click()
    await page.get_by_role("menuitem", name="Remove").click()
    question = page.get_by_role("alertdialog")
    await expect(question.get_by_role("button", name="Keep it")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(question).to_be_hidden()
    await page.get_by_role("button", name="More").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await question.get_by_role("button", name="Remove").click()
    await expect(rows).to_have_count(1)
    assert [one["id"] for one in server.ask("GET", "/api/cron")["jobs"]] == [other["id"]] != [job["id"]]


async def opened(screens: Screens, server: PageServer, path: str = "", **how: Any) -> Any:
    screen = await screens.screen(server, timezone_id=_BERLIN, **how)
    await screen.page.goto(f"{server.root}/schedules{path}")
    await screen.is_live()
    return screen


async def fits(page: Page) -> None:
    """Nothing is wider than the screen."""
    assert await page.evaluate(
        "[...document.querySelectorAll('html, .split, .split > *')].every(one => one.scrollWidth <= innerWidth)"
    )


def add(server: PageServer, **fields: Any) -> Any:
    job = {"schedule": "every 6h", "prompt": "count to 3"} | fields
    reply = server.send("POST", "/api/cron", key=server.local_key, json=job)
    assert reply.status_code == 201, reply.text
    return reply.json()


def is_over(server: PageServer, job: Any) -> bool:
    runs = server.ask("GET", f"/api/cron/{job['id']}/runs")["runs"]
    return all(run["status"] == "done" for run in runs)
