"""How long a test waits for an event that must happen, and how it lets happen what must not."""

import asyncio

# Only a failing test waits this long. An idle machine needs little of it, and a busy one may need much.
PATIENCE = 60.0


async def idle() -> None:
    """Let every task run that can. This says nothing of what waits for a thread, a socket or a clock."""
    for _ in range(20):
        await asyncio.sleep(0)
