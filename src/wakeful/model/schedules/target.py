"""A target: the text that names the chat for a job's answers, `<platform>:<chat>` or `<platform>:<chat>:<thread>`."""

from wakeful.model.schedules.schedule import ScheduleError
from wakeful.model.session import Address

_FORM = "write it like telegram:123456, or slack:C024BE91L:1731400000.000100 for a thread"


def parse_target(text: str) -> Address:
    """Raises ScheduleError."""
    platform, *ids = text.strip().split(":")
    is_whole = bool(platform) and len(ids) in (1, 2) and all(part and part.isprintable() for part in ids)
    if not is_whole or any(part != part.strip() for part in (platform, *ids)):
        raise ScheduleError("deliver", f"{text!r} names no chat: {_FORM}.")
    return Address(platform, ids[0], ids[1] if len(ids) == 2 else "")


def target_text(address: Address) -> str:
    return ":".join(part for part in (address.platform, address.chat_id, address.thread_id) if part)
