"""Files for the next message: attached one by one, listed, taken off, and gone once they are sent."""

from pathlib import Path
from typing import Any

import pytest

from wakeful.cli.chat.enclosures import Enclosures
from wakeful.cli.client import Client


class Uploads(Client):
    def __init__(self) -> None:
        super().__init__(Path("nowhere"), "", "terminal")
        self.taken: list[tuple[Path, str]] = []

    async def upload(self, path: Path, session_id: str = "") -> dict[str, Any]:
        self.taken.append((path, session_id))
        return {"id": f"att_{len(self.taken)}", "name": path.name, "type": "text/plain", "size": 12_345}


async def test_attached_files_are_listed_until_they_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    client = Uploads()
    enclosures = Enclosures(client)

    said = [(await enclosures.attach(name, "ses_1")).title for name in ("~/a.txt", "b.txt")]

    assert client.taken == [(Path("/home/ann/a.txt"), "ses_1"), (Path("b.txt"), "ses_1")]
    assert said[0] == "a.txt (text/plain, 12,345 bytes) goes with your next message."
    listed = await enclosures.attach("", "ses_1")
    assert listed.lines == ("a.txt (text/plain, 12,345 bytes)", "b.txt (text/plain, 12,345 bytes)")
    sent = enclosures.ids
    await enclosures.attach("c.txt", "ses_1")
    enclosures.forget(sent)
    assert (sent, enclosures.ids) == (["att_1", "att_2"], ["att_3"])


async def test_attached_files_can_be_taken_off() -> None:
    enclosures = Enclosures(Uploads())
    await enclosures.attach("a.txt", "ses_1")

    cleared = await enclosures.attach("clear", "ses_1")
    empty = await enclosures.attach("", "ses_1")

    assert cleared.title == "Your next message goes without files."
    assert (empty.title, empty.lines, enclosures.ids) == ("Say which file: /attach PATH", (), [])
