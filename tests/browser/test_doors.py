"""The doors on the page: how each is doing, posts that have not arrived, and who may talk. The platforms are servers on
loopback.
"""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from tests.browser.screen import Screen, Screens
from tests.browser.server import PageServer, running_page_server
from tests.browser.test_access import SCHEMES, serious
from tests.platforms.slack_server import SlackServer
from tests.platforms.telegram_server import TOKEN, TelegramServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANNS_CHAT = 7
PEOPLE = {5551234: "Mia", 8: "Bo"}
# Nothing listens there.
NOWHERE = "http://127.0.0.1:9"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as telegram:
        yield telegram


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def door_server(telegram: TelegramServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PageServer]:
    """A server with a door that is open, one that finds nobody, and one whose token is refused."""
    settings = {
        "WAKEFUL_TELEGRAM_TOKEN": TOKEN,
        "WAKEFUL_TELEGRAM_API_URL": telegram.url,
        "WAKEFUL_TELEGRAM_ALLOW": str(ANNS_CHAT),
        "WAKEFUL_DISCORD_TOKEN": "a.token.of-nobody",
        "WAKEFUL_DISCORD_API_URL": NOWHERE,
        "WAKEFUL_SLACK_BOT_TOKEN": "xoxb-wrong",
        "WAKEFUL_SLACK_APP_TOKEN": "xapp-wrong",
    }
    async with SlackServer() as slack:
        settings["WAKEFUL_SLACK_API_URL"] = f"{slack.root}/api/"
        with running_page_server(tmp_path_factory.mktemp("home"), **settings) as server:
            yield server


async def doors_of(screen: Screen) -> Locator:
    """Open the doors in the settings of this screen."""
    await screen.page.goto(f"{screen.root}/settings#doors")
    return screen.page.get_by_role("region", name="Doors")


async def look_again(screen: Screen) -> None:
    """Do what coming back to the tab does, instead of waiting for the next look."""
    await screen.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def row(doors: Locator, words: str) -> Locator:
    return doors.get_by_role("listitem").filter(has_text=words)


async def test_each_door_says_how_it_is_doing_and_what_to_do(screens: Screens, door_server: PageServer) -> None:
    screen = await screens.screen(door_server, reduced_motion="reduce", viewport={"width": 360, "height": 740})
    doors = await doors_of(screen)

    await expect(row(doors, "Telegram")).to_contain_text("wakeful_bot")
    await expect(row(doors, "Telegram")).to_contain_text("Connected since")
    await expect(row(doors, "Discord")).to_contain_text("No connection since")
    await expect(row(doors, "Slack")).to_contain_text("set WAKEFUL_SLACK_BOT_TOKEN to the app's Bot User OAuth Token")
    await expect(row(doors, "Slack")).to_contain_text("Then restart the server")
    assert await screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = []
    for scheme, rules in SCHEMES:
        await screen.page.emulate_media(color_scheme=scheme)
        found += await serious(screen.page, *rules)
    assert found == []


async def test_a_refused_post_shows_in_its_session_and_is_sent_again_or_dropped(
    screens: Screens, door_server: PageServer, telegram: TelegramServer
) -> None:
    room = telegram.chat(ANNS_CHAT)
    room.refusal = "bot was blocked by the user"
    await telegram.write(room.id, "count to 3")
    screen = await screens.screen(door_server)
    await screen.page.get_by_role("link", name="count to 3").first.click()

    await expect(screen.page.locator("#header")).to_contain_text("Telegram, Ann Lee")
    await expect(screen.page.locator("#banners")).to_contain_text("Telegram refused a post of this session.")
    await expect(screen.page.locator("#banners")).to_contain_text("bot was blocked by the user")
    await screen.page.locator("#banners").get_by_role("link", name="All doors").click()

    doors = screen.page.get_by_role("region", name="Doors")
    await expect(doors.get_by_role("heading", name="Doors")).to_be_focused()
    posts = doors.get_by_role("list", name="Posts that need a decision").get_by_role("listitem")
    await expect(posts).to_contain_text("Refused: 1 2 3")
    room.refusal = ""
    await posts.get_by_role("button", name="Send again").press("Enter")
    await expect(posts).to_have_count(0)
    await telegram.until(lambda: room.said == ["1 2 3"])
    await expect(doors.get_by_role("heading", name="Doors")).to_be_focused()

    room.refusal = "bot was blocked by the user"
    await telegram.write(room.id, "count to 4")
    await expect(posts).to_contain_text("Refused: 1 2 3 4")
    await posts.get_by_role("button", name="Drop").click()
    await expect(posts).to_have_count(0)
    assert room.said == ["1 2 3"]


async def test_people_are_let_in_by_their_code_kept_out_and_removed(
    screens: Screens, door_server: PageServer, telegram: TelegramServer
) -> None:
    screen = await screens.screen(door_server)
    doors = await doors_of(screen)
    for user_id, name in PEOPLE.items():
        await telegram.write(user_id, "May I?", by={"id": user_id, "is_bot": False, "first_name": name})
    await telegram.until(lambda: all(telegram.chat(user_id).said for user_id in PEOPLE))
    await look_again(screen)

    await expect(row(doors, "Mia (Telegram, 5551234) would like to talk")).to_be_visible()
    await expect(screen.page.locator("#sidebar")).to_contain_text("2need you")
    await doors.get_by_role("button", name="Keep Bo out").press("Enter")
    await expect(row(doors, "Bo (Telegram, 8)")).to_have_count(0)
    await expect(doors.get_by_role("button", name="Keep Mia out")).to_be_focused()
    code = telegram.chat(5551234).said[0].rpartition(" ")[2]
    field = doors.get_by_label("A person has told you their code")
    await field.fill("WRONGONE")
    await field.press("Enter")
    await expect(doors.get_by_role("status")).to_contain_text("No person waits with this code")
    # Chromium reports the refusal.
    screen.errors.clear()
    await field.fill(code.lower())
    await field.press("Enter")

    await expect(doors).to_contain_text("Mia may talk on Telegram now.")
    paired = doors.get_by_role("list", name="People who may talk").get_by_role("listitem")
    await expect(paired).to_contain_text("Telegram · 5551234")
    await paired.get_by_role("button", name="Remove Mia").click()
    await expect(paired).to_have_count(0)


async def test_only_the_operator_sees_the_doors(screens: Screens, door_server: PageServer) -> None:
    screen = await screens.tab(await screens.browser_at(door_server, name="alice"), door_server.root)

    doors = await doors_of(screen)

    await expect(screen.page.get_by_role("region", name="Logins")).to_be_visible()
    await expect(screen.page.locator("#sidebar").get_by_role("link", name="Appearance")).to_be_visible()
    await expect(screen.page.get_by_role("link", name="Doors")).to_have_count(0)
    await expect(doors).to_have_count(0)


async def test_without_a_door_the_page_says_how_to_open_the_first(screens: Screens, demo_server: PageServer) -> None:
    screen = await screens.screen(demo_server)
    doors = await doors_of(screen)

    await expect(doors).to_contain_text("No door to a messenger is open yet.")
    for name, setting in (("telegram", "TELEGRAM_TOKEN"), ("discord", "DISCORD_TOKEN"), ("slack", "SLACK_APP_TOKEN")):
        await expect(doors).to_contain_text(f"WAKEFUL_{setting} and restart the server. docs/{name}.md")
    await expect(doors.get_by_label("A person has told you their code")).to_be_hidden()
