"""Messages and commands in Discord's form."""

from collections.abc import Sequence
from typing import Any

from wakeful.gateway.messaging.platform import Button, Message
from wakeful.model.messaging.post import Post

_ROW, _BUTTON, _GREY = 1, 2, 2
_TEXT_OPTION = 3
_LONGEST_DESCRIPTION = 100
# The commands that take something, and its name.
_OPTIONS = {"model": "name", "approve": "scope"}


def new_message(post: Post, message: Message) -> dict[str, Any]:
    """Return the request for a post: the same nonce in every try, so that Discord makes one message of them."""
    reference = {"message_id": message.reply_to, "fail_if_not_exists": False}
    return {
        **changed_message(message),
        "nonce": post.id,
        "enforce_nonce": True,
        **({"message_reference": reference} if message.reply_to else {}),
    }


def changed_message(message: Message) -> dict[str, Any]:
    # No mention that a model writes is carried out.
    return {
        "content": message.text,
        "allowed_mentions": {"parse": []},
        "components": _rows(message.buttons),
    }


def command_list(commands: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """`commands`: names without the slash, each with a few words about it."""
    return [
        {"name": name, "type": 1, "description": words[:_LONGEST_DESCRIPTION], "options": _options(name)}
        for name, words in commands
    ]


def _rows(buttons: Sequence[Button]) -> list[dict[str, Any]]:
    row = [{"type": _BUTTON, "style": _GREY, "label": button.label, "custom_id": button.value} for button in buttons]
    return [{"type": _ROW, "components": row}] if row else []


def _options(command: str) -> list[dict[str, Any]]:
    name = _OPTIONS.get(command)
    return [] if name is None else [{"type": _TEXT_OPTION, "name": name, "description": f"the {name}"}]
