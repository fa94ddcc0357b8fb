"""Painted text: our colours, no line too wide, and no other control sequence."""

import re

import pytest
from rich.cells import cell_len

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.chat.screens.painter import Painter

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
WIDE = "漢字かな交じり文 🐈 "
MARKDOWN = f"""# {WIDE * 4}

{WIDE * 9} **bold** `code` [link](http://example.org/{"x" * 90})

- {WIDE * 5}
  1. nested {"y" * 70}

| a | {WIDE * 3} |
|---|---|
| {"z" * 60} | 2 |

> {WIDE * 6}

```python
print("{"w" * 100}")
```
"""


@pytest.fixture(autouse=True)
def in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def plain(painted: str) -> str:
    return COLOURS.sub("", painted)


@pytest.mark.parametrize("width", [20, 39, 40, 79, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    painter = Painter(width)
    card = Card(Tone.TOOL, WIDE * 9, WIDE * 5, (WIDE * 20, "x" * 300))

    lines = plain(painter.answer(MARKDOWN) + painter.card(card)).splitlines()

    assert max(map(cell_len, lines)) <= width


def test_only_colours_are_written() -> None:
    painted = Painter(60).answer("a &#27;[2J &#x9b;1m\n\n```sh\necho \x1b]0;x\x07\n```\n[l](http://\x1b[2J)")

    assert not set("\x1b\x9b\x07") & set(plain(painted))


def test_without_colours_nothing_but_text_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    painted = Painter(60).card(Card(Tone.QUIET, "title")) + Painter(60).answer("`code`")

    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", painted)


def test_what_looks_like_html_is_shown() -> None:
    assert plain(Painter(60).answer("openai:<model> <b>x</b>")) == "openai:<model> <b>x</b>\n"


def test_lines_stay_lines() -> None:
    assert plain(Painter(60).answer("one\ntwo")) == "one\ntwo\n"


def test_blocks_have_no_blank_lines_around_them_and_no_blanks_at_the_end_of_lines() -> None:
    assert plain(Painter(60).answer("```\ncode\n\nmore\n```")) == " code\n\n more\n"


def test_output_is_cut_and_words_are_wrapped() -> None:
    painter = Painter(20)

    output = plain(painter.card(Card(Tone.TOOL, "t", lines=("x" * 50,))))
    words = plain(painter.card(Card(Tone.QUESTION, "t", lines=("word " * 10,), is_prose=True)))

    assert output == f"▸ t\n  {'x' * 17}…\n"
    assert words.count("\n") == 5


def test_headings_stand_on_the_left_and_quotes_and_tables_are_painted() -> None:
    assert plain(Painter(40).answer("# Title")) == "Title\n"
    assert plain(Painter(40).answer("~~gone~~ x")) == "gone x\n"
    assert "a" in plain(Painter(40).answer("| a | b |\n|---|---|\n| 1 | 2 |")).splitlines()[0]
    assert "|---" not in plain(Painter(40).answer("| a | b |\n|---|---|\n| 1 | 2 |"))


def test_a_card_has_its_mark_its_note_and_its_colours() -> None:
    painted = Painter(40).card(Card(Tone.WAKE, "Ended", "after 2 s", ("out",)))

    assert plain(painted) == "◆ Ended  after 2 s\n  out\n"
    assert "\x1b[1;35mEnded" in painted
    assert "\x1b[2mout" in painted
    assert "\x1b[2m" in painted.splitlines()[0]


def test_only_a_diff_has_its_colours() -> None:
    lines = ("+new", "-old", "@@ 1 @@", "same")

    diff = Painter(40).card(Card(Tone.TOOL, "t", lines=lines, is_diff=True))
    other = Painter(40).card(Card(Tone.TOOL, "t", lines=lines))

    assert all(colour in diff for colour in ("\x1b[32m+new", "\x1b[31m-old", "\x1b[36m@@", "\x1b[2msame"))
    assert "\x1b[32m" not in other
    assert plain(diff) == plain(other)


def test_an_empty_block_paints_nothing_and_links_are_no_hyperlinks() -> None:
    assert Painter(40).answer("") == ""
    assert "\x1b]8" not in Painter(60).answer("[l](http://example.org)")
