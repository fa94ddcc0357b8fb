"""A client of Slack that answers as a test says, and keeps what it was asked for."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

Answer = Callable[[dict[str, Any]], Any]


@dataclass
class ScriptedClient:
    # By the method: what it returns, or raises.
    answers: dict[str, Answer]
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def call(self, method: str, **params: Any) -> Any:
        self.calls.append((method, params))
        answer = self.answers[method](params)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def download(self, url: str) -> AsyncIterator[bytes]:
        yield url.encode()
