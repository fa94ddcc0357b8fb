"""Which blocks of an answer are finished while the rest of it is still being written."""

import pytest

from wakeful.cli.chat.screens.markdown_stream import MarkdownStream


def blocks(text: str, size: int = 1) -> list[str]:
    stream = MarkdownStream()
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return [*(block for piece in pieces for block in stream.feed(piece)), *stream.finish()]


def test_a_paragraph_is_finished_when_the_next_one_has_begun() -> None:
    stream = MarkdownStream()

    assert stream.feed("one\ntwo\n\n") == []
    assert stream.feed("three") == []
    assert stream.feed("\n") == ["one\ntwo"]
    assert stream.unfinished == "three\n"


def test_fenced_code_is_finished_by_its_last_line() -> None:
    stream = MarkdownStream()

    assert stream.feed("```python\nx = 1\n\n# not a heading\n``") == []
    assert stream.feed("`\n") == ["```python\nx = 1\n\n# not a heading\n```"]


def test_a_fence_inside_a_longer_one_does_not_end_it() -> None:
    text = "````\n```\ncode\n```\n````"

    assert blocks(text) == [text]


def test_a_list_goes_on_over_blank_lines_and_its_own_code() -> None:
    text = "- one\n\n  more of one\n- two\n  ```\n  code\n\nnot indented code\n  ```\n\n- three"

    assert blocks(f"{text}\n\nafter") == [text, "after"]


def test_the_beginning_of_the_next_item_does_not_end_a_list() -> None:
    stream = MarkdownStream()
    stream.feed("1. one\n\n2")

    assert stream.feed(". two\n") == []


def test_a_heading_stands_alone() -> None:
    assert blocks("text\n# Title\nmore") == ["text", "# Title", "more"]


def test_a_table_stays_whole() -> None:
    assert blocks("| a | b |\n|---|---|\n| 1 | 2 |\n\nafter") == ["| a | b |\n|---|---|\n| 1 | 2 |", "after"]


def test_code_that_was_never_closed_is_the_last_block() -> None:
    assert blocks("```\ncode\n") == ["```\ncode"]


def test_an_empty_answer_has_no_blocks() -> None:
    assert blocks("\n\n") == []


@pytest.mark.parametrize("size", [2, 3, 7, 1000])
def test_how_the_text_is_cut_does_not_matter(size: int) -> None:
    text = "# T\n\nwords\nmore\n\n- a\n- b\n\n```\ncode\n\n```\n> quote\n\n1. x\n\nend"

    assert blocks(text, size) == blocks(text, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Code without a blank line before it is a block of its own, and so is what follows it.
        ("text\n```\ncode\n```\nmore", ["text", "```\ncode\n```", "more"]),
        ("~~~\n```\n~~~\nafter", ["~~~\n```\n~~~", "after"]),
        # Words after three backticks do not close code.
        ("```\na\n``` b\n```", ["```\na\n``` b\n```"]),
        # A heading inside a list belongs to it.
        ("- one\n# Not alone\n- two", ["- one\n# Not alone\n- two"]),
        ("- one\n\n\tmore\n\nafter", ["- one\n\n\tmore", "after"]),
        ("1) one\n\n2) two", ["1) one\n\n2) two"]),
        ("- one\n\n\n  more of one\n\nafter", ["- one\n\n\n  more of one", "after"]),
        ("- one\nlazy words", ["- one\nlazy words"]),
        ("- ```\n  code\n  ```\n- two\n\nafter", ["- ```\n  code\n  ```\n- two", "after"]),
        ("one\n\n\n\ntwo", ["one", "two"]),
        ("####### seven\nmore", ["####### seven\nmore"]),
        ("one\n- two\n\nthree", ["one\n- two", "three"]),
        ("`````\n````\n`````\nx", ["`````\n````\n`````", "x"]),
    ],
)
def test_blocks_end_where_a_reader_sees_them_end(text: str, expected: list[str]) -> None:
    assert blocks(text) == expected


def test_a_finished_answer_leaves_nothing_behind() -> None:
    stream = MarkdownStream()
    stream.feed("- one\n```\ncode")
    stream.finish()

    assert stream.unfinished == ""
    assert stream.feed("# Next\n") == ["# Next"]
