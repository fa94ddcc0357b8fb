"""What Slack sends, as far as it is read here."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, ValidationError, convert, field

logger = logging.getLogger(__name__)


class SlackFile(Struct):
    id: str = ""
    name: str | None = None
    size: int | None = None
    url_private: str | None = None
    url_private_download: str | None = None
    # `external` lies with another service, `tombstone` is deleted, and so on; most are `hosted`.
    mode: str = "hosted"
    # `check_file_info`: of another workspace; only files.info says more.
    file_access: str = ""


class SlackMetadata(Struct):
    event_type: str = ""
    event_payload: dict[str, Any] = field(default_factory=dict)


class SlackMessage(Struct):
    """A message, as an event or in a history: there it does not say its channel."""

    ts: str = ""
    channel: str = ""
    # `im` is a direct message. Mentions, and messages in a history, do not say it.
    channel_type: str = ""
    user: str = ""
    text: str = ""
    thread_ts: str = ""
    subtype: str = ""
    bot_id: str = ""
    # Who began the thread that it stands in.
    parent_user_id: str = ""
    # Of a message that began a thread: its last reply.
    latest_reply: str = ""
    files: list[SlackFile] = field(default_factory=list)
    metadata: SlackMetadata = field(default_factory=SlackMetadata)


class SlackUser(Struct):
    id: str
    username: str = ""
    name: str = ""


class _Channel(Struct):
    id: str
    name: str = ""


class _Action(Struct):
    value: str = ""


class SlackPress(Struct):
    """A button that was pressed."""

    user: SlackUser
    channel: _Channel
    message: SlackMessage
    actions: list[_Action]
    response_url: str = ""
    type: str = "block_actions"


class SlackCommand(Struct):
    """`/wakeful word …`"""

    channel_id: str
    user_id: str
    user_name: str = ""
    text: str = ""


def read_message(message: Mapping[str, Any]) -> SlackMessage:
    """Raises msgspec.ValidationError. What Slack says to be null is as good as not said."""
    return convert({name: value for name, value in message.items() if value is not None}, SlackMessage)


def read_messages(found: Iterable[dict[str, Any]]) -> Iterator[SlackMessage]:
    """Yield the messages of a history, but for those of a form that is not known."""
    for message in found:
        try:
            yield read_message(message)
        except ValidationError as error:
            logger.info("A message on Slack cannot be read and is passed over: %s", error)
