"""Files on the page: chosen, dropped and pasted, shown before and after they are sent, and what the agent shows."""

import struct
import zlib
from pathlib import Path

import pytest
from playwright.async_api import FilePayload, expect

from tests.api.server import script, until
from tests.browser.screen import Screens
from tests.browser.server import PageServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

_DROP = """([name, type, data]) => {
  const dropped = new DataTransfer();
  dropped.items.add(new File([Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))], name, { type }));
  for (const kind of ["dragenter", "dragover", "drop"])
    document.querySelector("#composer").dispatchEvent(
      new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: dropped }),
    );
}"""


def a_png(width: int = 8, height: int = 6) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x20\x80\xc0" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


async def test_chosen_files_go_with_the_message_and_survive_a_reload(screens: Screens, demo_server: PageServer) -> None:
    session_id = demo_server.new_session()
    screen = await screens.screen(demo_server, session_id)
    chooser = screen.page.locator("#composer input[type=file]")
    await chooser.set_input_files(
        [
            FilePayload(name="cat.png", mimeType="image/png", buffer=a_png()),
            FilePayload(name="evil.png", mimeType="image/png", buffer=b"<script>document.title = 'evil'</script>"),
            FilePayload(name="away.txt", mimeType="text/plain", buffer=b"not this one"),
        ]
    )
    await expect(screen.page.locator(".attached .attach__note")).to_have_count(3)
    await screen.page.get_by_label("Remove away.txt").click()
    await screen.page.reload()
    await expect(screen.page.locator(".attached .attach__name")).to_have_text(["cat.png", "evil.png"])

    await screen.say("look")

    await expect(screen.page.locator(".said__files .picture img")).to_have_js_property("naturalWidth", 8)
    await expect(screen.page.locator(".said__files a.attach")).to_have_attribute("download", "evil.png")
    await expect(screen.page.locator(".attached .attach")).to_have_count(0)
    # The page shows a message before the server has it.
    until(lambda: bool(demo_server.session(session_id)["messages"]))
    names = [file["name"] for file in demo_server.session(session_id)["messages"][0]["attachments"]]
    assert names == ["cat.png", "evil.png"]


async def test_a_dropped_file_is_a_message_without_words(screens: Screens, demo_server: PageServer) -> None:
    session_id = demo_server.new_session()
    screen = await screens.screen(demo_server, session_id)

    await screen.page.evaluate(_DROP, ["note.txt", "text/plain", "aGVsbG8="])
    await expect(screen.page.locator(".attached .attach__note")).to_have_text("5 bytes")
    await screen.box.press("Enter")

    await expect(screen.page.locator(".said__files .attach__name")).to_have_text("note.txt")


async def test_a_file_that_is_too_large_says_so_and_nothing_is_sent(
    screens: Screens, demo_server: PageServer, tmp_path: Path
) -> None:
    screen = await screens.screen(demo_server, demo_server.new_session())

    large = tmp_path / "core.dump"
    with large.open("wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)
    await screen.page.locator("#composer input[type=file]").set_input_files([large])

    await expect(screen.page.locator(".attach--fail .attach__note")).to_contain_text("20 MiB")
    await expect(screen.page.locator("#composer [type=submit]")).to_be_disabled()
    screen.errors.clear()


async def test_what_the_agent_shows_is_visible_without_unfolding(
    screens: Screens, server: PageServer, tmp_path: Path
) -> None:
    (tmp_path / "chart.png").write_bytes(a_png(40, 30))
    session_id = server.new_session(workspace=str(tmp_path))
    screen = await screens.screen(server, session_id)

    call = {"name": "show_file", "arguments": {"path": "chart.png", "caption": "the load"}}
    await screen.say(script(calls=[call]))

    await expect(screen.page.locator(".tool__files img")).to_have_js_property("naturalWidth", 40)
    await expect(screen.page.locator(".tool__files figcaption")).to_contain_text("chart.png, the load")
    await screen.page.reload()
    await expect(screen.page.locator(".tool__files img")).to_have_js_property("naturalWidth", 40)
