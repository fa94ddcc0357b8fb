"""Checks of the messaging platforms: each adapter asks its platform, beside a server that may be running."""

import asyncio
from collections.abc import Iterable

from wakeful.building.doors import build_platform
from wakeful.cli.doctor.result import CheckResult, CheckState
from wakeful.config.config import Config
from wakeful.errors import WakefulError
from wakeful.gateway.messaging.needs import PlatformNeeds
from wakeful.gateway.messaging.platform import Platform
from wakeful.model.messaging.chat import Chat

_PATIENCE_SECONDS = 20.0


async def check_platforms(config: Config) -> list[CheckResult]:
    """Ask all platforms at the same time."""
    found = await asyncio.gather(*(_check_platform(config, name) for name in config.messaging.doors))
    return [result for results in found for result in results]


async def _check_platform(config: Config, name: str) -> list[CheckResult]:
    try:
        platform = build_platform(name, _needs(config, name))
        return await _ask(platform)
    except WakefulError as error:
        return [CheckResult.fail(name, str(error))]
    except TimeoutError:
        return [CheckResult.fail(name, f"It did not answer within {_PATIENCE_SECONDS:.0f} seconds: check the network.")]


async def _ask(platform: Platform) -> list[CheckResult]:
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return [CheckResult(name, CheckState(state), message) for name, state, message in await platform.check()]
    finally:
        await platform.close()


def _needs(config: Config, name: str) -> PlatformNeeds:
    """Return what an adapter needs to ask its platform: nothing is received or sent, so the store has no part in it."""
    return PlatformNeeds(
        access=config.messaging.access[name],
        timeout=config.messaging.send_timeout,
        public_url=config.public_url,
        commands=(),
        chats=_no_chats,
        recall=_no_messages,
        secret="",
    )


async def _no_chats(since: float) -> list[Chat]:
    return []


async def _no_messages() -> Iterable[tuple[str, str]]:
    return ()
