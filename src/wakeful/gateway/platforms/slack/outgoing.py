"""Messages as parameters of Slack's methods, and refusals as what they mean for a message."""

from collections.abc import Sequence
from typing import Any

from wakeful.errors import WakefulError
from wakeful.gateway.messaging.platform import Button, Cure, Message, NotTaken, Refused
from wakeful.gateway.messaging.text.form import TextForm
from wakeful.gateway.messaging.text.split import split
from wakeful.gateway.platforms.slack.client import SlackRefusal
from wakeful.model.messaging.post import Post

EVENT_TYPE = "wakeful_post"
BAD_TOKEN = frozenset(
    {"account_inactive", "invalid_auth", "not_allowed_token_type", "not_authed", "token_expired", "token_revoked"}
)
NO_THREAD = frozenset(
    {
        "cannot_reply_to_message",
        "invalid_thread_ts",
        "message_not_found",
        "restricted_action_non_threadable_channel",
        "thread_not_found",
    }
)
_TOO_LONG = frozenset({"msg_blocks_too_long", "msg_too_long"})
# The text of one block at most.
_SECTION = TextForm(3000, str)


def new_message_params(post: Post, message: Message, thread_id: str) -> dict[str, Any]:
    params = {**message_params(post, message), "unfurl_links": False, "unfurl_media": False}
    if thread_id:
        params["thread_ts"] = thread_id
    return params


def message_params(post: Post, message: Message) -> dict[str, Any]:
    return {
        "channel": post.address.chat_id,
        "text": message.text,
        # An edit that does not mention blocks would leave the buttons there.
        "blocks": _blocks(message.text, message.buttons),
        "metadata": {"event_type": EVENT_TYPE, "event_payload": {"post": post.id}},
        "link_names": False,
    }


def meaning_of_refusal(refusal: SlackRefusal, message: Message, *, has_thread: bool = False) -> WakefulError:
    """Return what to raise for a message that Slack has refused. `has_thread`: it was to go to a thread."""
    if refusal.code in BAD_TOKEN:
        # The fault lies with the door, and the message can wait for it to open again.
        return NotTaken(str(refusal))
    if refusal.code in NO_THREAD and has_thread:
        return NotTaken(str(refusal), cure=Cure.NO_ANCHOR)
    if refusal.code in _TOO_LONG:
        return NotTaken(str(refusal), cure=Cure.SHORTER)
    return Refused(str(refusal))


def _blocks(text: str, buttons: Sequence[Button]) -> list[dict[str, Any]]:
    if not buttons:
        return []
    sections = [{"type": "section", "text": {"type": "mrkdwn", "text": part}} for part in split(text, _SECTION)]
    return [*sections, {"type": "actions", "elements": [_button(button) for button in buttons]}]


def _button(button: Button) -> dict[str, Any]:
    label = {"type": "plain_text", "text": button.label}
    # Ids of the buttons of one message have to differ.
    return {"type": "button", "text": label, "value": button.value, "action_id": button.value}
