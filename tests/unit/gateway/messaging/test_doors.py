"""The messaging doors, as the other parts of a server see them."""

import asyncio
from typing import Any

from wakeful.engine.clock import SystemClock
from wakeful.engine.job import Job
from wakeful.gateway.messaging.doors import Doors


async def nothing() -> float | None:
    return None


async def test_a_new_post_wakes_the_postman_of_its_platform_alone() -> None:
    nobody: Any = None
    woken = {name: asyncio.Event() for name in ("telegram", "slack")}
    jobs = {name: Job(name, nothing, SystemClock(), changed=event) for name, event in woken.items()}
    doors = Doors(nobody, postmen=jobs)

    doors.wake("slack")
    doors.wake("a platform without a door")

    assert [name for name, event in woken.items() if event.is_set()] == ["slack"]


def test_without_doors_there_is_nothing_to_tell() -> None:
    nobody: Any = None

    assert Doors(nobody).statuses() == {}
