"""Rows of either database, decoded to model objects, and model objects encoded as rows.

Both stores give their columns the same names, so they share this room and no query. `X_COLUMNS` are the columns of an
INSERT, `x_values` returns the values for them, and `x_from` decodes a row. The store fills in missing times.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any, Protocol, TypeVar

from wakeful.model.session import Address, Sender
from wakeful.model.turn import Door

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Row(Protocol):
    def __getitem__(self, column: str, /) -> Any: ...


Values = tuple[object, ...]
# Columns of a door, beside its name, and of an address.
DOOR_AND_ADDRESS = ("async_delivery", "platform", "chat_id", "thread_id", "sender")
# Columns whose value is not the attribute of the same name.
_ATTRIBUTES = {
    "platform": "address.platform",
    "chat_id": "address.chat_id",
    "thread_id": "address.thread_id",
    "sender": "address.sender.packed",
    "door": "door.name",
    "async_delivery": "door.async_delivery",
    "host": "host.id",
    "boot_id": "host.boot_id",
    "idx": "index",
}


def decode_rows(decode: Callable[[Row], T], rows: Iterable[Row]) -> list[T]:
    """Decode the rows that this version understands. Rows that are damaged, or that a newer version wrote, are logged
    and left out, so that they do not block the others.
    """
    return [noun for row in rows if (noun := _decode_or_log(decode, row)) is not None]


def _decode_or_log(decode: Callable[[Row], T], row: Row) -> T | None:
    try:
        return decode(row)
    except (ValueError, TypeError) as error:
        logger.warning("a row in the database is not understood: %s: %s", _name_of(row), error)
        return None


def _name_of(row: Row) -> str:
    for column in ("id", "turn_id"):
        with suppress(LookupError):
            return str(row[column])
    return "one without an id"


def values_getter(columns: Sequence[str]) -> Callable[[object], Values]:
    """Return a function that reads the values of these columns from an object's attributes."""
    return attrgetter(*(_ATTRIBUTES.get(column, column) for column in columns))


def door_from(row: Row) -> Door:
    return Door(row["door"], bool(row["async_delivery"]))


def address_from(row: Row) -> Address:
    return Address(row["platform"], row["chat_id"], row["thread_id"], Sender.unpacked(row["sender"]))
