"""What models and tools write is shown and never obeyed."""

from datetime import datetime

import pytest

from wakeful.cli.plain_text import aligned, clock_time, duration, harmless, one_line, output_lines, shortened_lines


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
    assert shortened_lines(["a", "b", "c", "d"], 1, 1) == ["a", "… 2 more lines", "d"]
    assert shortened_lines(["a", "b", "c"], 1, 0) == ["a", "… 2 more lines"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0.0 s"),
        (5, "5 s"),
        (9.9, "9.9 s"),
        (10.0, "10 s"),
        (59.9, "59 s"),
        (60, "1 min 00 s"),
        (61, "1 min 01 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (3725, "1 h 02 min"),
        (-1.0, "0.0 s"),
        (-1, "0 s"),
    ],
)
def test_durations_are_short(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_time_of_another_day_has_its_day() -> None:
    today = datetime.now().astimezone().replace(hour=12, minute=5)

    assert clock_time(today.isoformat()) == "12:05"
    assert clock_time(today.replace(year=2020, month=5, day=1).isoformat()) == "1 May 12:05"


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert aligned([["a", "bcd", ""], ["abc", "b", "x"]]) == ["a    bcd", "abc  b    x"]


def test_joiners_stay_because_scripts_and_emoji_need_them() -> None:
    assert harmless("\u0645\u200c\u0645 👩\u200d👧") == "\u0645\u200c\u0645 👩\u200d👧"


def test_blanks_at_the_end_of_output_lines_are_dropped() -> None:
    assert output_lines("a  \n\n  b\r\nc\r") == ["a", "", "  b", "c"]
