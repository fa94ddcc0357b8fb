"""Parts of an output, wherever it is cut."""

import os
from pathlib import Path

import pytest

from wakeful.tools.processes.output.output import Output, Page
from wakeful.tools.processes.output.secrets import Redactor


def output_of(tmp_path: Path, data: bytes, *secrets: str) -> Output:
    path = tmp_path / "output"
    path.write_bytes(data)
    return Output(path, Redactor(secrets))


def test_tail_is_counted_in_characters(tmp_path: Path) -> None:
    output = output_of(tmp_path, ("é" * 100).encode())

    assert output.tail(10) == ("é" * 10, True)
    assert output.tail(100) == ("é" * 100, False)


def test_tail_of_nothing_is_empty(tmp_path: Path) -> None:
    assert output_of(tmp_path, b"").tail(10) == ("", False)
    assert Output(tmp_path / "gone", Redactor([])).tail(10) == ("", False)


def test_tail_that_begins_within_a_character_leaves_that_out(tmp_path: Path) -> None:
    output = output_of(tmp_path, "𝄞".encode() * 50 + b"\n")

    assert output.tail(13) == ("𝄞" * 12 + "\n", True)


def test_excerpt_of_a_short_output_is_all_of_it(tmp_path: Path) -> None:
    assert output_of(tmp_path, b"x" * 100).excerpt(100) == "x" * 100


def test_excerpt_says_how_long_the_whole_output_is(tmp_path: Path) -> None:
    data = b"a" * 50 + b"\xff" * 50 + "ü".encode() * 50

    excerpt = output_of(tmp_path, data).excerpt(100)

    assert excerpt == "a" * 26 + "\n[… cut: 150 characters in all …]\n" + "ü" * 40


def test_a_cut_output_is_kept_whole_with_its_secrets_masked(tmp_path: Path) -> None:
    output = output_of(tmp_path, b"begin\n" + b"x" * 2_000 + b"\nkey-12345\nend", "key-12345")
    kept = tmp_path / "kept" / "output.txt"

    excerpt = output.excerpt(1_000, kept)

    assert excerpt.startswith("begin\n")
    assert f"the whole text is in {kept} …]" in excerpt
    assert kept.read_bytes() == b"begin\n" + b"x" * 2_000 + b"\n***\nend"


def test_pages_follow_each_other_without_gap_or_double(tmp_path: Path) -> None:
    text = "aé→𝄞" * 100
    output, offset, pages = output_of(tmp_path, text.encode()), 0, []

    while (page := output.page(offset, 7, is_whole=True)).next_offset > offset:
        assert page.offset == offset
        pages.append(page.text)
        offset = page.next_offset

    assert "".join(pages) == text


def test_half_a_character_waits_while_more_may_come(tmp_path: Path) -> None:
    output = output_of(tmp_path, b"ab\xe2\x82")

    assert output.page(0, 100, is_whole=False).text == "ab"
    assert output.page(0, 100, is_whole=False).next_offset == 2
    assert output.page(0, 100, is_whole=True).text == "ab\ufffd"
    assert output.page(0, 100, is_whole=True).next_offset == 4


def test_page_beyond_the_end_is_empty(tmp_path: Path) -> None:
    page = output_of(tmp_path, b"abc").page(10, 10, is_whole=True)

    assert (page.text, page.offset, page.next_offset) == ("", 3, 3)


def test_a_page_in_an_end_that_was_trimmed_is_empty(tmp_path: Path) -> None:
    output = output_of(tmp_path, b"a" * 4_096)
    os.truncate(output.path, 3 * 4_096)

    assert output.page(4_096, 100, is_whole=True) == Page("", 3 * 4_096, 3 * 4_096)


def test_nul_is_shown_as_something_that_can_be_stored(tmp_path: Path) -> None:
    assert output_of(tmp_path, b"a\0b").tail(10) == ("a\ufffdb", False)


def test_secrets_are_masked_the_longest_first(tmp_path: Path) -> None:
    output = output_of(tmp_path, b"a-secret-and-more a-secret", "a-secret", "a-secret-and-more", "abc")

    assert output.excerpt(100) == "*** ***"


def test_short_words_are_not_taken_for_secrets(tmp_path: Path) -> None:
    assert output_of(tmp_path, b"abc", "abc").excerpt(100) == "abc"


@pytest.mark.parametrize("cut", range(1, 20))
def test_secret_is_masked_on_both_sides_of_a_cut(tmp_path: Path, cut: int) -> None:
    output = output_of(tmp_path, b"the secret-token is", "secret-token")

    first = output.page(0, cut, is_whole=True)
    second = output.page(cut, 100, is_whole=True)

    shown = first.text + second.text
    assert shown in ("the *** is", "the ****** is")


def test_a_page_ends_before_a_secret_that_follows_it(tmp_path: Path) -> None:
    output = output_of(tmp_path, b"first, then short-one", "short-one", "a-secret-that-is-much-longer")

    assert output.page(0, 5, is_whole=True).text == "first"


def test_a_page_begins_after_a_secret_that_ends_before_it(tmp_path: Path) -> None:
    output = output_of(tmp_path, b"secret-token is", "secret-token")

    assert [output.page(start, 100, is_whole=True).text for start in (11, 12, 13)] == ["*** is", " is", "is"]


def test_secret_that_a_tail_begins_in_is_masked(tmp_path: Path) -> None:
    output = output_of(tmp_path, b"the secret-token is", "secret-token")

    assert output.tail(8) == ("*** is", True)
