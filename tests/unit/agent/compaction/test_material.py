"""A conversation as the text that is summed up, and as the text that stands for it where no model can."""

import pytest

from wakeful.agent.compaction.material import both_ends, first_words_of, material_of
from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.message import (
    AssistantMessage,
    Message,
    SummaryMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)

TALK: list[Message] = [
    SummaryMessage("[shown]", words="It was begun."),
    SystemMessage("Be brief."),
    UserMessage("Look!", ("data:1", "data:2"), files=(Attachment("att_1", "a.txt", "text/plain", 7),)),
    AssistantMessage("", calls=(ToolCall("c1", "look", '{"at": 1}'), ToolCall("c2", "wait", "{}"))),
    ToolMessage("c1", "seen"),
    UserMessage("make has ended", is_notice=True),
    AssistantMessage("All is well."),
]


def test_everybody_is_told_apart_and_a_clients_instructions_are_left_out() -> None:
    assert material_of(TALK).split("\n\n") == [
        "Summary of what came before:\nIt was begun.",
        "User: Look! [with 2 images] [with the file a.txt, att_1]",
        'Agent calls look: {"at": 1}',
        "Agent calls wait: {}",
        "Result: seen",
        "Notice: make has ended",
        "Agent: All is well.",
    ]


def test_the_middle_of_long_results_and_arguments_is_left_out() -> None:
    def talk(arguments: int, result: int) -> list[Message]:
        calling = AssistantMessage("", calls=(ToolCall("c1", "write", "a" * arguments),))
        return [calling, ToolMessage("c1", "b" * result)]

    assert ["characters …]" in line for line in material_of(talk(2_001, 6_001)).split("\n\n")] == [True, True]
    assert "characters" not in material_of(talk(2_000, 6_000))


def test_without_a_model_each_message_is_told_by_its_first_words() -> None:
    told = first_words_of([*TALK[2:4], UserMessage("x " * 101)], 10_000)

    assert told.splitlines() == [
        "- User: Look! [with 2 images] [with the file a.txt, att_1]",
        '- Agent calls look: {"at": 1}',
        "- Agent calls wait: {}",
        f"- User: {'x ' * 97} …",
    ]
    assert first_words_of([UserMessage("x" * 194)], 10_000) == f"- User: {'x' * 194}"


def test_an_older_summary_comes_first_and_fills_half_of_the_room_at_most() -> None:
    assert first_words_of(TALK[:3], 10_000).startswith("It was begun.\n\n- User: Look!")
    older = SummaryMessage("[shown]", words="o" * 1_000)

    told = first_words_of([older, UserMessage("new"), UserMessage("n" * 190)], 600)

    before, rest = told.split("\n\n")
    assert 250 < len(before) <= 300
    assert rest == f"- User: new\n- User: {'n' * 190}"
    assert first_words_of([], 600) == ""


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("x" * 100, 100, "x" * 100),
        ("a" * 60 + "b" * 60, 100, "a" * 30 + "\n[… 60 characters …]\n" + "b" * 30),
        ("abcdef", 2, "a\n[… 4 characters …]\nf"),
        ("a" * 5_000, 100, "a" * 30 + "\n[… 4,940 characters …]\n" + "a" * 30),
    ],
)
def test_a_text_that_is_too_long_keeps_both_ends(text: str, limit: int, shown: str) -> None:
    assert both_ends(text, limit) == shown
