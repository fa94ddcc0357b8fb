"""The files that go with the next message of a chat."""

from pathlib import Path
from typing import Any

from wakeful.cli.chat.cards.card import Card, Tone, remark
from wakeful.cli.client import Client
from wakeful.cli.plain_text import one_line

_CLEAR = "clear"


class Enclosures:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._files: list[dict[str, Any]] = []

    @property
    def ids(self) -> list[str]:
        return [file["id"] for file in self._files]

    async def attach(self, argument: str, session_id: str) -> Card:
        """Upload a file, or show or clear the list. Raises MessageUnusable, RequestRefused."""
        if not argument:
            return self._listed()
        if argument == _CLEAR:
            self._files = []
            return remark("Your next message goes without files.")
        file = await self._client.upload(_path(argument), session_id)
        self._files.append(file)
        return remark(f"{_line(file)} goes with your next message.")

    def forget(self, sent: list[str]) -> None:
        self._files = [file for file in self._files if file["id"] not in sent]

    def _listed(self) -> Card:
        if not self._files:
            return remark("Say which file: /attach PATH")
        return Card(
            Tone.QUIET,
            "With your next message go (/attach clear takes them off):",
            lines=tuple(map(_line, self._files)),
        )


def _path(argument: str) -> Path:
    return Path(argument).expanduser()


def _line(file: dict[str, Any]) -> str:
    return f"{one_line(file['name'])} ({file['type']}, {file['size']:,} bytes)"
