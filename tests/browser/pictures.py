"""Take the pictures of the docs: a session with a long job, on a desktop and a phone, light and dark."""

import asyncio
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright, expect

from tests.api.server import until
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.screen import Screen, Screens
from tests.browser.server import PageServer, running_page_server

_FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
_SIZES = {"desktop": {"width": 1440, "height": 1000}, "phone": {"width": 390, "height": 844}}
_OTHERS = ("Release checklist", "Nightly import of the price feed", "Why does CI take 19 minutes?", "Upgrade notes")
# Looks like a test run, but takes a second.
_SUITE = """#!/bin/sh
for part in store engine web; do
    printf 'tests/%s \\033[32m..........\\033[31mF\\033[32m........\\033[0m\\n' $part
    sleep 0.3
done
printf '\\033[31m1 failed\\033[0m, \\033[32m56 passed\\033[0m in 0.93s\\n'
exit 1
"""
_BUILD = """#!/bin/sh
for percent in $(seq 1 100); do
    printf '\\033[36mbuilding\\033[0m layer %s of 100 [%s%%]\\n' $percent $percent
    sleep 0.2
done
"""


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "work"
        for name, text in (("suite", _SUITE), ("build", _BUILD)):
            path = workspace / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        with running_page_server(Path(folder) / "home", WAKEFUL_WORKSPACE=str(workspace)) as server:
            await draw(server)


async def draw(server: PageServer) -> None:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    session_id = make_sessions(server)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        async with Screens(browser) as screens:
            for name, size in _SIZES.items():
                for scheme in ("light", "dark"):
                    screen = await screens.screen(server, session_id, viewport=size, color_scheme=scheme)
                    await look(screen, _FOLDER / f"{name}-{scheme}.png")
        await browser.close()


def make_sessions(server: PageServer) -> str:
    others = [server.new_session(title=title) for title in _OTHERS]
    for other in others:
        server.say(other, "What is the state of things?")
    until(lambda: all(server.is_idle(other) for other in others))
    server.ask("PATCH", "/api/session", json={"session_id": others[0], "pinned": True})
    session_id = server.new_session(title="Full suite in the background")
    server.say(session_id, "run ./suite in the background")
    until(lambda: bool(server.notices(session_id)) and server.is_idle(session_id))
    server.say(session_id, "run ./build in the background")
    until(lambda: server.is_idle(session_id))
    server.say(session_id, "run rm -rf /var/tmp/build-cache")
    until(lambda: bool(server.session(session_id)["approvals"]))
    server.say(session_id, "Then bump the version and draft the notes.")
    return session_id


async def look(screen: Screen, path: Path) -> None:
    await expect(screen.page.locator(".approval")).to_be_visible()
    await expect(screen.page.locator(".queued")).to_be_visible()
    await screen.page.screenshot(path=path)
    print(path.relative_to(_FOLDER.parents[1]))


if __name__ == "__main__":
    asyncio.run(main())
