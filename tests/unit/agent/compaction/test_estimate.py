"""How many tokens a context is thought to take."""

import pytest

from wakeful.agent.compaction.estimate import tokens_of
from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.message import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage


def _with_file(type: str, size: int) -> Message:
    return UserMessage("abc", files=(Attachment("file_1", "a", type, size),))


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (UserMessage("abcd"), 2),
        (UserMessage("abc", images=("data:1", "data:2")), 1 + 3_000),
        (ToolMessage("c1", "abc", images=("data:1",)), 1 + 1_500),
        (AssistantMessage("abc", calls=(ToolCall("c1", "run", "{'a': 1}"),)), 5),
        (_with_file("text/plain", 3_000), 1 + 1_000),
        (_with_file("text/plain", 10_000_000), 1 + 33_333),
        (_with_file("image/png", 10_000_000), 1 + 1_500),
        (_with_file("application/zip", 10_000_000), 1 + 4),
    ],
)
def test_all_that_a_model_reads_of_a_message_counts(message: Message, tokens: int) -> None:
    assert tokens_of([message]) == 4 + tokens
    assert tokens_of([message, message]) == 2 * (4 + tokens)
