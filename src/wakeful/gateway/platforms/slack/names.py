"""The names of people and channels, asked for once in a while."""

import asyncio
import logging
import time
from typing import Any

from wakeful.errors import WakefulError
from wakeful.gateway.platforms.slack.client import SlackClient

# After this time a name is asked for again: people rename themselves.
_FRESH_SECONDS = 3600.0
# A message does not wait longer for a name.
_ANSWER_SECONDS = 3.0
_MOST = 10_000

logger = logging.getLogger(__name__)


class SlackNames:
    def __init__(self, client: SlackClient) -> None:
        self._client = client
        # The id to the name, and until when that is taken for granted.
        self._known: dict[str, tuple[str, float]] = {}

    async def user(self, user_id: str, otherwise: str = "") -> str:
        """Return how a person is called; `otherwise`, or the id, where Slack does not say."""
        return await self._name(user_id, "users.info", "user") or otherwise or user_id

    async def channel(self, channel_id: str) -> str:
        return await self._name(channel_id, "conversations.info", "channel") or channel_id

    async def _name(self, id: str, method: str, kind: str) -> str:
        name, until = self._known.get(id, ("", 0.0))
        if time.monotonic() < until:
            return name
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                found = (await self._client.call(method, **{kind: id}))[kind]
        except (WakefulError, TimeoutError) as error:
            logger.info("Slack does not say what %s is called: %s", id, str(error) or "no answer in time")
            return name
        self._keep(id, _shown(found))
        return self._known[id][0]

    def _keep(self, id: str, name: str) -> None:
        self._known.pop(id, None)
        self._known[id] = name, time.monotonic() + _FRESH_SECONDS
        if len(self._known) > _MOST:
            del self._known[next(iter(self._known))]


def _shown(found: dict[str, Any]) -> str:
    """Return the name that Slack shows: people choose one of several."""
    profile = found.get("profile") or {}
    names = (profile.get("display_name"), profile.get("real_name"), found.get("real_name"), found.get("name"))
    return next((str(name) for name in names if name), "")
