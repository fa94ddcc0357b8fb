"""A client of Telegram that answers as a test says, and keeps what it was asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class ScriptedClient:
    # By the method: what it returns, or raises.
    answers: dict[str, Callable[[dict[str, Any]], Any]]
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def call(self, method: str, kind: Any, *, extra_seconds: float = 0.0, **params: Any) -> Any:
        self.calls.append((method, params))
        answer = self.answers[method](params)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def asked(self, method: str) -> list[dict[str, Any]]:
        return [params for called, params in self.calls if called == method]
