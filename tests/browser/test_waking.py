"""Background work wakes its session while the tab is open, closed, or the server is killed in between."""

import pytest
from playwright.async_api import expect

from tests.api.server import until
from tests.browser.screen import Screens
from tests.browser.server import PageServer
from tests.held_job import HeldJob

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_wake_up_appears_live_in_the_open_tab(screens: Screens, demo_server: PageServer, job: HeldJob) -> None:
    screen = await screens.screen(demo_server)
    await screen.say(f"run {job.command('echo it is done; exit 3')} in the background")
    await screen.is_idle()

    job.end()

    await expect(screen.wakeups).to_have_count(1)
    await expect(screen.wakeups).to_contain_text("exit code 3")
    await expect(screen.wakeups).to_contain_text("it is done")
    await screen.is_idle()
    assert len(await screen.text()) == len(demo_server.answers(screen.session_id))


async def test_a_wake_up_while_the_tab_was_closed_is_shown_once(
    screens: Screens, demo_server: PageServer, job: HeldJob
) -> None:
    context = await screens.browser_at(demo_server)
    screen = await screens.tab(context, demo_server.root)
    await screen.open()
    await screen.say(f"run {job.command('echo gone meanwhile')} in the background")
    await screen.page.wait_for_url("**/s/*")
    session_id = screen.session_id
    until(lambda: bool(demo_server.session(session_id)["tasks"]) and demo_server.is_idle(session_id))
    await screen.page.close()

    job.end()
    until(lambda: bool(demo_server.notices(session_id)) and demo_server.is_idle(session_id))
    screen = await screens.tab(context, demo_server.root)
    await screen.open(session_id)

    await expect(screen.wakeups).to_have_count(1)
    await expect(screen.wakeups).to_contain_text("gone meanwhile")


async def test_a_wake_up_survives_a_server_that_was_killed_in_between(
    screens: Screens, own_demo_server: PageServer, job: HeldJob
) -> None:
    server = own_demo_server
    screen = await screens.screen(server)
    await screen.say(f"run {job.command('echo outlived')} in the background")
    await screen.page.wait_for_url("**/s/*")
    session_id = screen.session_id
    until(lambda: bool(server.session(session_id)["tasks"]) and server.is_idle(session_id))

    server.kill()
    job.end()
    server.start()

    await expect(screen.wakeups).to_have_count(1)
    await screen.is_idle()
    assert len(await screen.text()) == len(server.answers(session_id))
    assert len(server.notices(session_id)) == 1
