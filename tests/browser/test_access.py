"""The page is accessible: axe finds nothing serious, and the keyboard reaches everything."""

from importlib.resources import files
from typing import Any, Literal

import pytest
from playwright.async_api import Page, expect

from tests.api.server import script
from tests.browser.screen import Screens
from tests.browser.server import PageServer
from tests.held_job import HeldJob

pytestmark = pytest.mark.asyncio(loop_scope="session")

# The dark scheme differs in colours only.
SCHEMES: tuple[tuple[Literal["light", "dark"], tuple[str, ...]], ...] = (
    ("light", ()),
    ("dark", ("color-contrast", "link-in-text-block")),
)
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
TEXT = """# Head

Some `code`, a [link](https://example.org/) and:

```python
print('x')
```

| a | b |
|---|---|
| 1 | 2 |

```diff
-old
+new
```

Press <kbd>Ctrl</kbd>, so that $x_1$ holds[^1].

$$
\\frac{1}{2}
$$

<details>
<summary>More</summary>

It is folded.

</details>

[^1]: Mostly.
"""


async def serious(page: Page, *rules: str) -> list[str]:
    """Return axe's serious findings with their location, for these rules or for all."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE)
    # Locating the elements that pass takes longer than checking them.
    how: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        how["runOnly"] = rules
    found: dict[str, Any] = await page.evaluate("how => axe.run(how)", how)
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


async def test_axe_finds_nothing_serious_in_a_session(screens: Screens, demo_server: PageServer, job: HeldJob) -> None:
    screen = await screens.screen(demo_server)
    await screen.say(f"run {job.command('echo done; exit 1')} in the background")
    await screen.is_idle()
    job.end()
    await expect(screen.wakeups).to_have_count(1)
    await screen.is_idle()

    for width, height in ((1440, 1000), (390, 844)):
        await screen.page.set_viewport_size({"width": width, "height": height})
        for scheme, rules in SCHEMES:
            await screen.page.emulate_media(color_scheme=scheme)
            assert await serious(screen.page, *rules) == [], (width, scheme)


async def test_axe_finds_nothing_serious_at_home(screens: Screens, own_demo_server: PageServer) -> None:
    server = own_demo_server
    # Colours in mid-transition match no theme.
    screen = await screens.screen(server, reduced_motion="reduce")
    home = screen.page.locator("#home")
    await expect(home.get_by_text("See it wake")).to_be_visible()
    found = await serious(screen.page)
    for words in ("run exit 1 in the background", "run sleep 60 in the background", "run rm -r /tmp/wakeful-example"):
        server.say(server.new_session(title=words), words)
    for section in ("Needs you", "Running", "While you were away", "Recent sessions"):
        await expect(home.get_by_role("region", name=section)).to_be_visible()

    for width, height in ((1440, 1000), (390, 844)):
        await screen.page.set_viewport_size({"width": width, "height": height})
        for scheme, rules in SCHEMES:
            await screen.page.emulate_media(color_scheme=scheme)
            found += await serious(screen.page, *rules)
    assert found == []


async def test_axe_finds_nothing_serious_in_the_schedules(screens: Screens, own_demo_server: PageServer) -> None:
    server = own_demo_server
    screen = await screens.screen(server, reduced_motion="reduce")
    await screen.page.get_by_role("link", name="Schedules").click()
    await expect(screen.page.get_by_text("No schedules yet")).to_be_visible()
    found = await serious(screen.page)
    for name, paused in (("Watch", False), ("Tidy", True)):
        job = {"schedule": "every 6h", "prompt": "count to 3", "name": name}
        assert server.send("POST", "/api/cron", key=server.local_key, json=job).status_code == 201
        server.ask("POST", f"/api/cron/{name}/run", json={})
        server.ask("PATCH", f"/api/cron/{name}", json={"paused": paused})
    await expect(screen.page.get_by_role("region", name="Runs").get_by_text("Answered")).to_be_visible()

    for scheme, rules in SCHEMES:
        await screen.page.emulate_media(color_scheme=scheme)
        found += await serious(screen.page, *rules)
    assert found == []


async def test_axe_finds_nothing_serious_in_an_answer(screens: Screens, server: PageServer) -> None:
    screen = await screens.screen(server)
    await screen.say(script(text=TEXT))
    await expect(screen.answers.locator("table")).to_be_visible()
    await screen.is_idle()

    for scheme, rules in SCHEMES:
        await screen.page.emulate_media(color_scheme=scheme)
        assert await serious(screen.page, *rules) == [], scheme


async def test_axe_finds_nothing_serious_in_the_other_pages(screens: Screens, demo_server: PageServer) -> None:
    screen = await screens.screen(demo_server)
    found = await serious(screen.page)
    await screen.page.get_by_role("link", name="Settings").click()
    await expect(screen.page.get_by_role("heading", name="About")).to_be_visible()
    found += await serious(screen.page)
    await screen.page.get_by_role("button", name="Keyboard shortcuts").click()
    found += await serious(screen.page)
    # The settings ask the server now and then, and would go to the login by themselves.
    await screen.page.goto("about:blank")
    await screen.page.context.clear_cookies()
    await screen.page.goto(f"{demo_server.root}/login")
    found += await serious(screen.page)

    assert found == []


async def test_the_keyboard_is_enough(screens: Screens, demo_server: PageServer) -> None:
    screen = await screens.screen(demo_server)
    keyboard = screen.page.keyboard
    await screen.say("run sleep 30 in the background")
    await screen.is_idle()
    await screen.box.blur()

    await keyboard.press("?")
    await expect(screen.page.get_by_role("dialog")).to_contain_text("Next that needs you")
    await keyboard.press("Escape")
    await expect(screen.page.get_by_role("dialog")).to_have_count(0)
    await keyboard.press("b")
    await expect(screen.page.locator("#drawer")).to_be_hidden()
    await keyboard.press("b")
    await expect(screen.page.locator("#drawer")).to_be_visible()
    await screen.page.locator("body").click(position={"x": 700, "y": 300})
    await keyboard.press("/")
    await expect(screen.page.get_by_label("Search sessions")).to_be_focused()
    await keyboard.press("Escape")
    await keyboard.press("n")
    await expect(screen.page).to_have_url(f"{demo_server.root}/")
    await keyboard.press("i")
    await expect(screen.box).to_be_focused()
