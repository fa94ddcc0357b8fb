"""Tells the operator's own chats from those of other people. All of them are sessions of the operator's."""

from collections.abc import Mapping

from wakeful.gateway.messaging.settings import EVERYBODY, DoorSettings
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.turn import Turn


def has_memory(doors: Mapping[str, DoorSettings], turn: Turn) -> bool:
    """Return whether the agent may use the operator's memory. In a chat only if it is private, and with the one person
    whom the settings name: the others were paired, or are some of several.
    """
    sender, door = turn.address.sender, doors.get(turn.address.platform)
    if door is None:
        return not sender.chat_key
    is_private = sender.chat_key.startswith(f"{turn.address.platform}:{ChatKind.PRIVATE}:")
    return is_private and EVERYBODY not in door.allow and door.allow == {sender.user_id}
