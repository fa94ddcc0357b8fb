"""A server for browser tests: logs in, starts turns, and reads what is stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.api.server import ApiServer


class PageServer(ApiServer):
    @property
    def local_key(self) -> str:
        return (self.home / "key").read_text().strip()

    def ask(self, method: str, path: str, **how: Any) -> Any:
        """Send a request as the operator."""
        response = self.send(method, path, key=self.local_key, **how)
        assert response.status_code == 200, response.text
        return response.json()

    def login_token(self, name: str = "operator") -> str:
        url: str = self.ask("POST", "/api/login/link", json={"as": name})["url"]
        return url.partition("#token=")[2]

    def new_session(self, **fields: Any) -> str:
        session_id: str = self.ask("POST", "/api/session/new", json=fields)["session_id"]
        return session_id

    def say(self, session_id: str, message: str, **more: Any) -> str:
        """Start a turn and return its id."""
        turn_id: str = self.ask("POST", "/api/chat/start", json={"session_id": session_id, "message": message} | more)[
            "turn_id"
        ]
        return turn_id

    def session(self, session_id: str, **query: Any) -> dict[str, Any]:
        snapshot: dict[str, Any] = self.ask("GET", "/api/session", params={"session_id": session_id} | query)
        return snapshot

    def answers(self, session_id: str) -> list[str]:
        """Return the agent's answers as they are stored."""
        messages = self.session(session_id)["messages"]
        return [message["content"] for message in messages if message["role"] == "assistant" and message["content"]]

    def notices(self, session_id: str) -> list[dict[str, Any]]:
        return [message["notice"] for message in self.session(session_id)["messages"] if message["notice"]]

    def is_idle(self, session_id: str) -> bool:
        snapshot = self.session(session_id)
        return snapshot["active"] is None and not snapshot["queued"]


@contextmanager
def running_page_server(home: Path, **settings: str) -> Iterator[PageServer]:
    server = PageServer(home, settings)
    try:
        server.start()
        yield server
    finally:
        server.kill()
