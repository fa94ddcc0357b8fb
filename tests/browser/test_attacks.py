"""Nothing that a model or a tool outputs runs as a script, and no other page can act with the reader's login."""

import httpx2
import pytest
from playwright.async_api import BrowserContext, Page, expect

from tests.api.server import script
from tests.browser.screen import Screens
from tests.browser.server import PageServer
from tests.held_job import HeldJob

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Each attack sets `window.attacked` if it runs.
RUN = "window.attacked=1"
ATTACKS = (
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<svg onload={RUN}><script>{RUN}</script></svg>",
    f"<details open ontoggle={RUN}>x</details>",
    f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>',
    f"[a link](javascript:{RUN})",
    f"[entities](jav&#x61;script:{RUN})",
    f"[capitals](JaVaScRiPt:{RUN})",
    f"[data](data:text/html,<script>{RUN}</script>)",
    f"<javascript:{RUN}>",
    f'![image](x"onerror="{RUN})',
    "![image](http://127.0.0.1:9/pixel.png)",
    f"[reference]\n\n[reference]: javascript:{RUN}",
    f'```"><script>{RUN}</script>\ncode\n```',
    f"```html\n<script>{RUN}</script>\n```",
    f"| a |\n|---|\n| <script>{RUN}</script> |",
    "<style>* { display: none }</style>",
    f"<form action=javascript:{RUN}><button>x</button></form>",
    "<base href=//127.0.0.1:9/>",
    f"`<script>{RUN}</script>`",
    f"\u001b]8;;javascript:{RUN}\u0007click\u001b]8;;\u0007 \u001b[31m<b onclick={RUN}>red</b>\u001b[0m",
)
PAYLOAD = "\n\n".join(ATTACKS)


async def click_everything(page: Page) -> None:
    """Click every link and fold that the attacks may have made."""
    for summary in await page.locator("#turns details:not([open]) > summary:visible").all():
        await summary.click()
    await page.evaluate(
        "document.querySelectorAll('#turns .prose a').forEach((a) => a.dispatchEvent(new MouseEvent('click')))"
    )


async def assert_harmless(page: Page) -> None:
    assert await page.evaluate("window.attacked") is None
    elements = "script, iframe, object, embed, style, base, form, img, svg:not(.icon)"
    handlers = "[onerror], [onload], [onclick], [ontoggle]"
    assert await page.locator(f"#turns .prose :is({elements}, {handlers})").count() == 0
    assert await page.locator("#turns pre :is(script, b, img, iframe)").count() == 0
    schemes = await page.evaluate("[...document.querySelectorAll('#turns a')].map((a) => a.protocol)")
    assert set(schemes) <= {"http:", "https:", "mailto:"}


async def test_an_answer_full_of_attacks_does_nothing(screens: Screens, server: PageServer) -> None:
    session_id = server.new_session()
    screen = await screens.screen(server, session_id)

    await screen.say(script(text=PAYLOAD))

    await screen.is_idle()
    await screen.shows("capitals")
    await click_everything(screen.page)
    await assert_harmless(screen.page)
    await screen.page.reload()
    await screen.shows("capitals")
    await click_everything(screen.page)
    await assert_harmless(screen.page)


async def test_attacks_in_tool_output_are_shown_as_text(screens: Screens, server: PageServer) -> None:
    session_id = server.new_session()
    screen = await screens.screen(server, session_id)
    markup = f"\u001b[31m<img src=x onerror={RUN}>\u001b[0m<script>{RUN}</script>"
    call = {"name": "terminal", "arguments": {"command": f"cat <<'END'\n{markup}\nEND"}}

    await screen.say(script(calls=[call], tokens=3))

    await screen.is_idle()
    await screen.page.locator("#turns .tool > summary").first.click()
    await screen.shows(f"<img src=x onerror={RUN}>")
    await assert_harmless(screen.page)


async def test_attacks_in_titles_messages_and_background_work_are_shown_as_text(
    screens: Screens, demo_server: PageServer, job: HeldJob
) -> None:
    hostile = f"<img src=x onerror={RUN}>"
    session_id = demo_server.new_session(title=hostile)
    screen = await screens.screen(demo_server, session_id)

    await screen.say(f"run echo '{hostile}'; {job.command('true')} in the background")
    await screen.is_idle()
    job.end()

    await expect(screen.wakeups).to_have_count(1)
    await expect(screen.page.locator(".header")).to_contain_text(hostile)
    await expect(screen.page.locator("#sidebar")).to_contain_text(hostile)
    await expect(screen.page.locator("#drawer")).to_contain_text(hostile)
    await expect(screen.page.locator("#turns .said").first).to_contain_text(hostile)
    await assert_harmless(screen.page)


async def write_from(page: Page, url: str) -> dict[str, object]:
    """Try to write to this url from the page with the reader's cookie, and return the response."""
    answer: dict[str, object] = await page.evaluate(
        """async (url) => {
            try {
                const how = {method: "POST", credentials: "include", body: "{}", mode: "no-cors"};
                const response = await fetch(url, how);
                return {type: response.type, status: response.status};
            } catch (error) { return {failed: String(error)}; }
        }""",
        url,
    )
    return answer


async def test_a_page_of_another_origin_cannot_write(screens: Screens, server: PageServer) -> None:
    before = len(server.ask("GET", "/api/sessions", params={"limit": 200})["sessions"])
    context: BrowserContext = await screens.browser_at(server)
    page = await context.new_page()
    await page.route(
        "http://other.example/", lambda route: route.fulfill(body="<p>other</p>", content_type="text/html")
    )
    await page.goto("http://other.example/")

    await write_from(page, f"{server.root}/api/session/new")

    assert len(server.ask("GET", "/api/sessions", params={"limit": 200})["sessions"]) == before


async def test_a_link_logs_in_once(screens: Screens, server: PageServer) -> None:
    link = f"{server.root}/login#token={server.login_token()}"
    page = await (await screens.new_browser()).new_page()

    await page.goto(link)

    await expect(page).to_have_url(f"{server.root}/")
    again = await (await screens.new_browser()).new_page()
    await again.goto(link)
    await expect(again.get_by_role("alert")).to_contain_text("used")
    await expect(again).to_have_url(f"{server.root}/login")


async def test_without_a_cookie_there_is_only_the_login_page(screens: Screens, server: PageServer) -> None:
    context = await screens.browser_at(server)
    await context.clear_cookies()
    page = await context.new_page()

    await page.goto(f"{server.root}/s/anything")

    await expect(page).to_have_url(f"{server.root}/login#next=/s/anything")
    await page.goto("about:blank")
    await page.goto(f"{server.root}/settings#doors")
    await expect(page).to_have_url(f"{server.root}/login#next=/settings%23doors")
    response = await page.request.get(f"{server.root}/api/sessions")
    assert response.status == 401


async def test_a_foreign_host_is_refused(server: PageServer) -> None:
    response = httpx2.get(server.root, headers={"host": "attacker.example"}, trust_env=False)

    assert response.status_code == 421
