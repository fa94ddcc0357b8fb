"""Two thousand messages and five megabytes of output: the page opens, pages, scrolls, and never jumps."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Route, expect

from tests.api.conftest import scripted
from tests.api.server import ModelEndpoint, script, until
from tests.browser.long_session import HUGE_RESULT, MESSAGES, TURNS, write_long_session
from tests.browser.screen import Screen, Screens
from tests.browser.server import PageServer, running_page_server

pytestmark = pytest.mark.asyncio(loop_scope="session")

NEWEST = f"Part {TURNS} is done."
STREAM = script(tokens=200, rate=150)
# Fractions of a pixel do not count as movement.
STILL_PX = 1.0

# Marks the turn in the middle of the window, to find it again, and returns its position.
MARK = """scroller => {
  const box = scroller.getBoundingClientRect();
  const middle = box.top + box.height / 2;
  const turns = [...scroller.querySelectorAll(".turn")];
  const turn = turns.find((one) => one.getBoundingClientRect().bottom > middle);
  turn.dataset.marked = "yes";
}"""
TOP_OF_MARKED = """scroller => scroller.querySelector("[data-marked]").getBoundingClientRect().top"""
# Two frames later all corrections have been made.
SETTLED = (
    "() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))"
)
# Turns get their real height when they are first drawn. A click may miss until it is stable for three frames.
GROWN = """scroller => new Promise((resolve) => {
  let height = 0;
  let same = 0;
  const look = () => {
    same = scroller.scrollHeight === height ? same + 1 : 0;
    height = scroller.scrollHeight;
    if (same === 3) resolve();
    else requestAnimationFrame(look);
  };
  look();
})"""
# Records for every frame the position of the marked turn and the distance from the end of the transcript.
WATCH = """scroller => {
  globalThis.seen = [];
  const look = () => {
    const top = scroller.querySelector("[data-marked]")?.getBoundingClientRect().top ?? null;
    seen.push({ top, left: scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight });
  };
  const after = new MessageChannel();
  after.port1.onmessage = () => {
    look();
    requestAnimationFrame(() => after.port2.postMessage(null));
  };
  after.port2.postMessage(null);
}"""


@dataclass(frozen=True)
class Long:
    """A server and its long session."""

    server: PageServer
    session_id: str

    def branch(self) -> str:
        """Return a new session that continues the same conversation."""
        answer = self.server.ask("POST", "/api/session/branch", json={"session_id": self.session_id})
        session_id: str = answer["session_id"]
        return session_id


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def long(tmp_path_factory: pytest.TempPathFactory, endpoint: ModelEndpoint) -> AsyncIterator[Long]:
    home = tmp_path_factory.mktemp("home")
    session_id = await write_long_session(home)
    with running_page_server(home, **scripted(endpoint)) as server:
        yield Long(server, session_id)


async def opened(screens: Screens, server: PageServer, session_id: str) -> tuple[Screen, Locator]:
    """Open the session; return the screen, with the newest message in view, and its scrolling element."""
    screen = await screens.screen(server, session_id)
    await expect(screen.answers.last).to_contain_text(NEWEST)
    await expect(screen.answers.last).to_be_in_viewport()
    scroller = screen.page.locator("#transcript")
    await scroller.evaluate(GROWN)
    return screen, scroller


async def scroll_to(scroller: Locator, top: int) -> None:
    """Scroll to this distance from the top and wait until everything in view is drawn."""
    await scroller.evaluate("(scroller, top) => { scroller.scrollTop = top; }", top)
    await scroller.page.evaluate(SETTLED)


async def most_seen(screen: Screen, name: str, right: float = 0.0) -> float:
    """Return the largest deviation in two frames in a row: one alone may fall between a change and its drawing."""
    seen: list[dict[str, float]] = await screen.page.evaluate("globalThis.seen")
    assert len(seen) > 10, "nothing was drawn meanwhile"
    wrong = [abs(look[name] - right) for look in seen]
    return max(map(min, pairwise(wrong)))


async def test_it_opens_with_its_newest_messages_alone(screens: Screens, long: Long) -> None:
    screen, _ = await opened(screens, long.server, long.session_id)

    assert long.server.session(long.session_id)["session"]["message_count"] == MESSAGES
    assert await screen.page.locator("#turns .said").count() == 20
    await expect(screen.page.get_by_role("button", name="Show earlier messages")).to_have_count(1)


async def test_earlier_messages_arrive_without_moving_what_is_read(screens: Screens, long: Long) -> None:
    screen, scroller = await opened(screens, long.server, long.session_id)
    may_go = asyncio.Event()

    async def hold(route: Route) -> None:
        await may_go.wait()
        await route.continue_()

    await screen.page.route("**/api/session?*before=*", hold)
    await scroll_to(scroller, 700)
    await scroller.evaluate(MARK)
    before = await scroller.evaluate(TOP_OF_MARKED)
    turns = screen.page.locator("#turns .turn")
    assert await turns.count() == 20

    may_go.set()

    await expect(turns).to_have_count(60)
    await screen.page.evaluate(SETTLED)
    assert abs(await scroller.evaluate(TOP_OF_MARKED) - before) <= STILL_PX


@pytest.mark.soak
async def test_scrolling_up_again_and_again_ends_at_the_first_message(screens: Screens, long: Long) -> None:
    screen, scroller = await opened(screens, long.server, long.session_id)
    turns = screen.page.locator("#turns .turn")

    for shown in range(20, TURNS, 40):
        await scroll_to(scroller, 0)
        await expect(turns).to_have_count(min(shown + 40, TURNS))
    await scroll_to(scroller, 0)

    said = screen.page.locator("#turns .said")
    await expect(said.first).to_be_in_viewport()
    assert await said.all_text_contents() == [f"Check part {number}." for number in range(1, TURNS + 1)]
    await expect(screen.page.get_by_role("button", name="Show earlier messages")).to_have_count(0)


async def test_a_stream_does_not_move_a_reader_who_has_scrolled_up(screens: Screens, long: Long) -> None:
    session_id = long.branch()
    screen, scroller = await opened(screens, long.server, session_id)
    await scroll_to(scroller, 3_000)
    await scroller.evaluate(MARK)
    before = await scroller.evaluate(TOP_OF_MARKED)
    await scroller.evaluate(WATCH)

    long.server.say(session_id, STREAM)
    await screen.shows("token199")
    until(lambda: long.server.is_idle(session_id))
    await screen.is_idle()
    await screen.page.evaluate(SETTLED)

    assert await most_seen(screen, "top", before) <= STILL_PX
    await expect(screen.page.get_by_role("button", name="Jump to the newest")).to_be_visible()


async def test_a_stream_keeps_a_reader_at_the_end(screens: Screens, long: Long) -> None:
    session_id = long.branch()
    screen, scroller = await opened(screens, long.server, session_id)
    await scroller.evaluate(WATCH)

    long.server.say(session_id, STREAM)
    await screen.shows("token199")
    until(lambda: long.server.is_idle(session_id))
    await screen.is_idle()
    await screen.page.evaluate(SETTLED)

    assert await most_seen(screen, "left") <= STILL_PX
    await expect(screen.answers.last).to_be_in_viewport()


async def test_a_result_is_fetched_whole_when_it_is_unfolded(screens: Screens, long: Long) -> None:
    screen, _ = await opened(screens, long.server, long.session_id)
    usual, huge = [screen.page.locator("#turns .tool__row").nth(index) for index in (-2, -1)]
    ending = f"step 1 of part {TURNS}: nothing to be done\n"

    for row in (usual, huge):
        await row.locator("summary").click()
        await expect(row.locator("pre.log")).to_be_visible()

    await expect(usual.locator("pre.log")).not_to_contain_text("left out here")
    assert (await usual.locator("pre.log").inner_text()).count(ending.strip()) > 80
    await expect(usual.get_by_role("button", name="Show all")).to_have_count(0)
    await expect(huge.locator("pre.log")).to_contain_text("characters are left out here")
    await huge.get_by_role("button", name="Show all").click()
    await expect(huge.get_by_role("button", name="Show all")).to_have_count(0)
    assert len(await huge.locator("pre.log").text_content() or "") > HUGE_RESULT / 2
