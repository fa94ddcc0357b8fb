"""Finding out what became of a post whose sending was not answered: each bears its id, where only programs see it."""

from wakeful.gateway.messaging.platform import LookedUp, Whereabouts
from wakeful.gateway.platforms.slack.client import SlackRefusal
from wakeful.gateway.platforms.slack.history import SlackHistory
from wakeful.gateway.platforms.slack.outgoing import EVENT_TYPE, NO_THREAD
from wakeful.gateway.platforms.slack.wire import SlackMessage
from wakeful.model.messaging.post import Post

ABSENT = LookedUp(Whereabouts.ABSENT)
# The clocks of Slack and of the store may differ by so much.
_LEEWAY_SECONDS = 5.0
_MOST = 1000


class SlackSearch:
    def __init__(self, history: SlackHistory) -> None:
        self._history = history

    async def find(self, post: Post) -> LookedUp:
        """Raises as `SlackClient.call` does."""
        mine = [message for message in await self.since_attempt(post) if _is(message, post)]
        return LookedUp(Whereabouts.FOUND, mine[0].ts) if mine else ABSENT

    async def since_attempt(self, post: Post) -> list[SlackMessage]:
        """Return what was written where the post was to go, since just before it was sent."""
        channel, thread_id = post.address.chat_id, post.address.thread_id
        after = f"{(post.attempted_at or post.created_at) - _LEEWAY_SECONDS:.6f}"
        try:
            return await self._history.read(channel, thread_id, after, _MOST, include_all_metadata=True)
        except SlackRefusal as refusal:
            if not thread_id or refusal.code not in NO_THREAD:
                raise
        # The thread is gone: then the post went to the top of the channel.
        return await self._history.read(channel, "", after, _MOST, include_all_metadata=True)


def _is(message: SlackMessage, post: Post) -> bool:
    return message.metadata.event_type == EVENT_TYPE and message.metadata.event_payload.get("post") == post.id
