"""The operator's memory is for the operator: on the page, on the API, and in a private chat that is theirs alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.kit import new_turn
from wakeful.gateway.messaging.operators_chat import has_memory
from wakeful.gateway.messaging.settings import EVERYBODY, DoorSettings
from wakeful.model.session import Address, Sender

PRIVATE, GROUP = "telegram:private:7", "telegram:group:-5"


@pytest.mark.parametrize(
    ("allowed", "chat_key", "user_id", "expected"),
    [
        ({"7"}, PRIVATE, "7", True),
        ({"7"}, PRIVATE, "8", False),
        ({"7", "8"}, PRIVATE, "7", False),
        ({EVERYBODY}, PRIVATE, EVERYBODY, False),
        ({"7"}, GROUP, "7", False),
        ({"7"}, "slack:private:7", "7", False),
        ({"7"}, "", "", False),
        # The platform has no door any more.
        (None, PRIVATE, "7", False),
        # The page or the API.
        (None, "", "", True),
    ],
)
def test_who_has_the_operators_memory(
    allowed: set[str] | None, chat_key: str, user_id: str, expected: bool, tmp_path: Path
) -> None:
    doors = {} if allowed is None else {"telegram": DoorSettings(allow=frozenset(allowed))}
    address = Address("telegram", "7", "", Sender("1", user_id, "Ann", chat_key=chat_key))

    assert has_memory(doors, replace(new_turn(tmp_path), address=address)) is expected
