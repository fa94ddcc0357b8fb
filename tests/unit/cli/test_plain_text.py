"""What models and tools write is shown and never obeyed."""

import pytest

from wakeful.cli.plain_text import duration, harmless, one_line, output_lines, shortened_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[1;1Hgone", "gone"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;c2VjcmV0\x07paste", "paste"),
        ("\x9b2Jgone", "gone"),
        ("\x9d0;title\x9cafter", "after"),
        ("\x1b(0lqk\x1b(B", "lqk"),
        ("\x1bcreset", "reset"),
        ("bell\x07 nul\x00 back\x08space", "bell nul backspace"),
        ("right\u202eto left", "rightto left"),
        ("lone \ud800 half", "lone  half"),
        ("tab\tbed", "tab    bed"),
        ("two\r\nlines", "two\nlines"),
        ("漢字 🐈 é", "漢字 🐈 é"),
    ],
)
def test_text_is_shown_without_what_a_terminal_would_obey(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_a_sequence_that_never_ends_hides_nothing_of_what_follows() -> None:
    assert harmless("\x1b]0;never ended\nnext line") == "0;never ended\nnext line"


@pytest.mark.parametrize("cut", range(1, 10))
def test_a_sequence_that_comes_in_two_pieces_does_no_harm_either(cut: int) -> None:
    text = "\x1b[31;1mred"

    assert "\x1b" not in harmless(text[:cut]) + harmless(text[cut:])


def test_a_progress_bar_is_shown_as_it_ended() -> None:
    assert output_lines("10 %\r50 %\r100 %\ndone\r\n\n") == ["100 %", "done"]


def test_no_output_is_no_line() -> None:
    assert output_lines("\n \n") == []


def test_words_fit_on_one_line() -> None:
    assert one_line("a\n  b\x1b[0m\tc ") == "a b c"


def test_long_output_is_folded_in_its_middle() -> None:
    lines = [str(number) for number in range(2000)]

    assert shortened_lines(lines, 1, 2) == ["0", "… 1,997 more lines", "1998", "1999"]


def test_nothing_is_folded_to_hide_a_single_line() -> None:
    assert shortened_lines(["a", "b", "c"], 1, 1) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (5, "5 s"), (59.9, "59 s"), (61, "1 min 01 s"), (3725, "1 h 02 min"), (-1.0, "0.0 s")],
)
def test_durations_are_short(seconds: float, words: str) -> None:
    assert duration(seconds) == words
