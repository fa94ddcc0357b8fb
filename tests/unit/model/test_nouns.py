"""What all nouns of the model have in common."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace

import wakeful.model
from tests.store.nouns import a_turn
from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.message import (
    AssistantMessage,
    Message,
    NativeParts,
    SummaryMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from wakeful.model.session import Address, Sender
from wakeful.model.system_prompt import SystemPrompt


def defaults() -> Iterator[tuple[str, object]]:
    """Yield the field of each noun that may be left out, and its value then."""
    for module in pkgutil.walk_packages(wakeful.model.__path__, "wakeful.model."):
        for noun in vars(importlib.import_module(module.name)).values():
            if is_dataclass(noun) and isinstance(noun, type):
                yield from ((f"{noun.__name__}.{field.name}", field.default) for field in fields(noun))


def test_what_is_not_said_of_a_noun_is_nothing_but_for_these() -> None:
    said = {name: value for name, value in defaults() if isinstance(value, int | float) and value}

    assert said == {
        "CronJob.catch_up_seconds": 3600.0,
        "Session.is_listed": True,
        "Task.attempt": 1,
        "Transcript.is_measured": True,
        "Turn.number": 1,
        "Turn.reserved": 1000,
    }


def test_a_message_is_the_same_wherever_it_was_recorded() -> None:
    answer = AssistantMessage("a", native=NativeParts("claude", "anthropic", ({"text": 1},)))
    messages: list[Message] = [
        SystemMessage("a"),
        UserMessage("a"),
        SummaryMessage("a"),
        answer,
        ToolMessage("c1", "a"),
    ]

    for message in messages:
        recorded = replace(message, origin="turn_9.0.0")
        assert recorded == message
        assert "turn_9" not in repr(recorded)
    assert replace(answer, origin="turn_9.0.0").native_of("claude", "anthropic") == ({"text": 1},)
    # Nor do they differ by whose words they are made of.
    assert UserMessage("a", is_notice=True) == UserMessage("a")
    assert SummaryMessage("a", words="b", said=("c",)) == SummaryMessage("a")


def test_a_file_is_known_by_itself_and_not_by_its_owner() -> None:
    bare = Attachment("att_1", "a.txt", "text/plain", 7)

    owned = Attachment("att_1", "a.txt", "text/plain", 7, "ann", "s1", 1.0)
    assert owned == bare
    assert owned.fields == bare.fields
    assert Attachment("att_2", "a.txt", "text/plain", 7) != bare


def test_an_address_is_the_same_whoever_has_written() -> None:
    address = Address("slack", "C1", sender=Sender("7"))

    assert address == address.without_anchor() == Address("slack", "C1")


def test_a_turn_is_told_from_others_and_shown_in_logs_without_its_prompt() -> None:
    prompted = a_turn(system_prompt=SystemPrompt("You know that her cat is called Mia."))

    assert prompted == a_turn()
    assert prompted.lease == a_turn().lease
    assert "Mia" not in repr(prompted)
