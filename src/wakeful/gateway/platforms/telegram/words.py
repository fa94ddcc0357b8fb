"""The words of a message, and whether they speak to the bot. Telegram counts places in UTF-16 units."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wakeful.gateway.platforms.telegram.wire import TgEntity, TgUser

# What stands between the bot's name and the words for it.
_AFTER_NAME = re.compile(r"^[,:]?\s+|^[,:]$")


@dataclass(frozen=True, slots=True)
class MessageWords:
    # Without the bot's name.
    text: str
    is_for_bot: bool
    # It is a command for another bot.
    is_for_other: bool = False


@dataclass(frozen=True, slots=True)
class _Call:
    """A place where a bot is called by its name."""

    start: int
    end: int
    is_other: bool = False


def message_words(text: str, entities: Sequence[TgEntity], bot: TgUser) -> MessageWords:
    units = text.encode("utf-16-le", "surrogatepass")
    calls = [call for entity in entities for call in _calls(units, entity, bot)]
    # From the end on: what stands before keeps its place.
    for call in sorted(calls, key=lambda call: call.start, reverse=True):
        if not call.is_other:
            units = _cut(units, call)
    return MessageWords(
        _decoded(units).strip(),
        is_for_bot=any(not call.is_other for call in calls),
        is_for_other=any(call.is_other for call in calls),
    )


def _calls(units: bytes, entity: TgEntity, bot: TgUser) -> Iterator[_Call]:
    end = entity.offset + entity.length
    piece = _decoded(units[2 * entity.offset : 2 * end])
    if (entity.type == "mention" and _is_name(piece, bot)) or (
        entity.type == "text_mention" and entity.user is not None and entity.user.id == bot.id
    ):
        yield _Call(entity.offset, end)
    elif entity.type == "bot_command" and entity.offset == 0:
        command, at, name = piece.partition("@")
        # A command is of plain letters, so that its length in units is its length.
        yield _Call(len(command), end, is_other=bool(at) and not _is_name(f"@{name}", bot))


def _is_name(piece: str, bot: TgUser) -> bool:
    return bool(bot.username) and piece.lower() == f"@{bot.username}".lower()


def _cut(units: bytes, call: _Call) -> bytes:
    before, after = _decoded(units[: 2 * call.start]), _decoded(units[2 * call.end :])
    if not before or before[-1].isspace():
        after = _AFTER_NAME.sub("", after)
    return (before + after).encode("utf-16-le", "surrogatepass")


def _decoded(units: bytes) -> str:
    return units.decode("utf-16-le", "surrogatepass")
