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
