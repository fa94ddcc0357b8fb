"""A long session on the page: its meter, its summaries, the model that answered instead, and a day's limit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.api.conftest import scripted
from tests.api.server import ModelEndpoint, script, until
from tests.browser.screen import Screen, Screens
from tests.browser.server import PageServer, running_page_server
from tests.held_job import HeldJob

pytestmark = pytest.mark.asyncio(loop_scope="session")

_MODEL = """
[models."openai:scripted"]
context_window = 8000
input_price = 1000
output_price = 1000
"""
# Four of these fill the window.
_LONG = script(text="ok", window=8_000) + " " * 6_000


@contextmanager
def priced_server(home: Path, endpoint: ModelEndpoint, settings: str = "") -> Iterator[PageServer]:
    """A server whose model has a small window and a price."""
    home.mkdir()
    (home / "config.toml").write_text(settings + _MODEL)
    with running_page_server(home, **scripted(endpoint)) as server:
        yield server


def summaries(screen: Screen) -> Locator:
    return screen.page.locator("#turns .compaction")


async def test_a_conversation_is_summed_up_behind_the_meter(
    screens: Screens, tmp_path: Path, endpoint: ModelEndpoint
) -> None:
    with priced_server(tmp_path / "home", endpoint, "daily_spend_usd = 900\n") as server:
        session_id = server.new_session()
        for words in ("one", "two"):
            server.say(session_id, script(text=words))
            until(lambda: server.is_idle(session_id))
        screen = await screens.screen(server, session_id)
        meter = screen.page.get_by_role("button", name="Context: 7 of 8,000 tokens; summed up at 6,400.")
        await expect(meter).to_contain_text("7 of 8k · $0.0")

        await meter.click()
        behind = screen.page.get_by_role("dialog", name="Context and cost")
        await expect(behind).to_contain_text("sums up at 6.4k")
        await expect(behind.get_by_role("row", name="Written")).to_contain_text("$")
        await expect(behind).to_contain_text("At $900.00 nothing wakes by itself.")
        await behind.get_by_role("button", name="Sum up older messages now").click()

        await expect(behind).to_have_count(0)
        line = summaries(screen)
        await expect(line).to_contain_text("Older messages summed up")
        await expect(line).to_contain_text("tokens")
        await line.locator("summary").click()
        await expect(line).to_contain_text("token0 token1 token2")
        await expect(screen.page.locator("#turns .turn")).to_have_count(2)
        live = await line.inner_text()
        await screen.page.reload()
        await summaries(screen).locator("summary").click()
        assert await summaries(screen).inner_text() == live

        await screen.page.get_by_role("button", name="Context: ").click()
        await behind.get_by_role("button", name="Sum up older messages now").click()
        await expect(behind.get_by_role("alert")).to_contain_text("sum up")
        # Chromium reports a refused request.
        assert [error for error in screen.errors if "status of 409" not in error] == []
        screen.errors.clear()


async def test_a_session_that_fills_its_window_is_summed_up_inside_its_turn(
    screens: Screens, tmp_path: Path, endpoint: ModelEndpoint
) -> None:
    with priced_server(tmp_path / "home", endpoint) as server:
        session_id = server.new_session()
        screen = await screens.screen(server, session_id)
        for _ in range(4):
            server.say(session_id, _LONG)
            until(lambda: server.is_idle(session_id))

        await expect(summaries(screen).first).to_contain_text("Older messages summed up")
        await expect(screen.page.locator("#turns .turn .compaction").first).to_be_visible()
        await expect(screen.answers).to_have_count(4)
        await screen.is_idle()
        count = await summaries(screen).count()
        await screen.page.reload()
        await expect(summaries(screen)).to_have_count(count)


async def test_a_turn_names_the_model_that_answered_instead(
    screens: Screens, tmp_path: Path, endpoint: ModelEndpoint
) -> None:
    with priced_server(tmp_path / "home", endpoint, 'fallback_models = ["demo:wakeful"]\n') as server:
        screen = await screens.screen(server, server.new_session())
        await screen.say(script(status=401))

        remark = screen.page.locator("#turns .remark")
        words = "Answered by wakeful (demo), because scripted has no valid key. scripted is passed over for 10 min."
        await expect(remark).to_have_text(words)
        await expect(screen.page.locator(".turn__foot")).to_contain_text("· wakeful")
        await screen.page.reload()
        await expect(remark).to_have_text(words)
        await expect(screen.page.locator(".turn__foot")).to_contain_text("· wakeful")


async def test_a_job_that_waits_for_tomorrow_says_which_limit_is_reached(
    screens: Screens, tmp_path: Path, endpoint: ModelEndpoint, job: HeldJob
) -> None:
    with priced_server(tmp_path / "home", endpoint, "daily_spend_usd = 0.01\n") as server:
        screen = await screens.screen(server, server.new_session())
        arguments = {"command": job.command("true"), "background": True, "notify_on_complete": True}
        await screen.say(script(calls=[{"name": "terminal", "arguments": arguments}], tokens=20))
        await expect(screen.page.locator(".turn__foot")).to_contain_text("tokens")
        job.end()

        banner = screen.page.locator("#banners .banner--wake")
        await expect(banner).to_contain_text("1 job has reported and waits. Today’s $0.01 are spent.")  # noqa: RUF001
        await expect(banner).to_contain_text("It goes on at midnight UTC, or with your next message.")
        await expect(banner).to_contain_text(f"set daily_spend_usd in {server.home / 'config.toml'}")
        await banner.get_by_role("button", name="Go on now").click()
        await expect(screen.wakeups).to_have_count(1)
        await expect(banner).to_have_count(0)

        await screen.page.get_by_role("link", name="Home").click()
        await screen.page.get_by_role("button", name="of $0.01 today").click()
        await expect(screen.page.get_by_role("dialog", name="Spending")).to_contain_text("Today’s $0.01 are spent.")  # noqa: RUF001
