"""Words that a store would refuse are mended before they get there, wherever in a message they stand."""

from collections.abc import AsyncIterator

import pytest

from wakeful.gateway.messaging.inbound.storable import storable
from wakeful.gateway.messaging.platform import IncomingMessage, OfferedFile
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.session import Address, Sender


async def nothing() -> AsyncIterator[bytes]:
    yield b""


@pytest.mark.parametrize(
    ("written", "kept"),
    [("a\0b", "a\N{REPLACEMENT CHARACTER}b"), ("a\ud83db", "a?b"), ("\N{CHERRIES} ä", "\N{CHERRIES} ä")],
    ids=["NUL", "half of a pair", "whole"],
)
def test_all_words_of_a_message_can_be_stored(written: str, kept: str) -> None:
    def a_message(words: str) -> IncomingMessage:
        address = Address("telegram", "1", "t", Sender("5", "9", f"user {words}", f"chat {words}"))
        files = [OfferedFile(f"file {words}", 3, nothing)]
        return IncomingMessage(ChatKind.GROUP, address, f"text {words}", True, f"quoted {words}", files)

    assert storable(a_message(written)) == a_message(kept)
