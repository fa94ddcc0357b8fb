"""A server for commands: it answers what a test has written down, and keeps what it was asked."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from wakeful.cli import command as shared
from wakeful.cli.client import Client, RequestRefused, ServerEvent
from wakeful.config.config import Config


class ScriptedServer(Client):
    """Answers are written down by method and path. A list gives one answer after the other, and its last one again."""

    def __init__(self, answers: Mapping[str, Any], events: Sequence[ServerEvent] = ()) -> None:
        super().__init__(Path("nowhere"), "", "terminal")
        self._answers = {
            request: list(found) if isinstance(found, list) else [found] for request, found in answers.items()
        }
        self._events = events
        # Requests in their order: method and path, and what they carry.
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        # Whether the command would have adopted work, had there been no server.
        self.adopts: bool | None = None

    async def get(self, path: str, **query: str | int) -> dict[str, Any]:
        return self._answer(f"GET {path}", query)

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return self._answer(f"POST {path}", body)

    async def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return self._answer(f"PATCH {path}", body)

    async def delete(self, path: str, **query: str) -> dict[str, Any]:
        return self._answer(f"DELETE {path}", query)

    async def events(self, path: str, *, after: str = "", **query: str) -> AsyncGenerator[ServerEvent, None]:
        for event in self._events:
            self.asked.append((f"event {event.id}", query))
            yield event

    def changes(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the requests that change something."""
        return [(request, carried) for request, carried in self.asked if request.startswith(("POST", "DELETE"))]

    def _answer(self, request: str, carried: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append((request, carried))
        if request not in self._answers:
            raise RequestRefused(404, {"code": "not_found", "message": f"There is no {request}."})
        answers = self._answers[request]
        answer: dict[str, Any] = answers.pop(0) if len(answers) > 1 else answers[0]
        return answer


class Typist:
    """Types commands that reach a scripted server."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        monkeypatch.setenv("WAKEFUL_HOME", str(home))
        # The log of the tests stays as it is.
        monkeypatch.setattr(shared, "set_up_log", lambda config: None)

    def run(self, command: click.Command, server: ScriptedServer, *words: str) -> Result:
        @asynccontextmanager
        async def connected(config: Config, *, adopts: bool, door: str) -> AsyncIterator[Client]:
            server.adopts = adopts
            yield server

        assert command.callback is not None
        self._patch.setattr(f"{command.callback.__module__}.connected", connected, raising=False)
        return CliRunner().invoke(command, words, standalone_mode=False)
