"""What the engine needs from outside."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Protocol

from wakeful.model.fact import Brief, Fact


class AgentLoop(Protocol):
    def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        """Run the turn, or go on with it, and yield what happens; the next fact is asked for when one is recorded.

        Raises TurnFailed when the turn cannot be finished. Closing the generator stops the model and the tools.
        """
        ...


class Clock(Protocol):
    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Return when the event is set or the seconds have passed, whichever is first."""
        ...
