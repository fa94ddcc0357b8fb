"""Messages of a channel, or of a thread in it, that Slack has kept."""

from typing import Any

from wakeful.gateway.platforms.slack.client import SlackClient
from wakeful.gateway.platforms.slack.wire import SlackMessage, read_messages

# As many as Slack advises to ask for at once.
_PAGE = 200


def ts_order(ts: str) -> tuple[int, int]:
    """Return what orders messages: Slack's ids are times in decimal notation. What is no time comes before all."""
    seconds, _, fraction = ts.partition(".")
    if not seconds.isdecimal():
        return 0, 0
    return int(seconds), int(fraction.ljust(6, "0")) if fraction.isdecimal() else 0


class SlackHistory:
    def __init__(self, client: SlackClient) -> None:
        self._client = client

    async def read(self, channel: str, thread_id: str, after: str, most: int, **params: Any) -> list[SlackMessage]:
        """Return messages after a moment, in their order, at most `most`. Raises as `SlackClient.call` does."""
        found: dict[str, SlackMessage] = {}
        where = {"channel": channel, **({"ts": thread_id} if thread_id else {}), **params}
        method = "conversations.replies" if thread_id else "conversations.history"
        cursor = ""
        while len(found) < most:
            page = await self._client.call(
                method, **where, oldest=after, limit=min(_PAGE, most), **({"cursor": cursor} if cursor else {})
            )
            # A thread always comes with the message that has begun it.
            new = [one for one in read_messages(page["messages"]) if ts_order(one.ts) > ts_order(after)]
            found |= {message.ts: message for message in new}
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return sorted(found.values(), key=lambda message: ts_order(message.ts))[-most:]
