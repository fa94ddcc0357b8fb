"""An answer in patches: however its text is split, the result is the exact render."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from wakeful.web.html import step_html
from wakeful.web.html.markdown import Env, render_blocks, render_blocks_with_lines
from wakeful.web.html.step_html import Patch, StepHtml

BLOCKS = [
    "words and [a link][x]\n\n",
    "- a\n- b\n\n  c\n",
    "```python\nx = 1\n\n\ny = 2\n```\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "> quoted\nlazy\n",
    "# head\n",
    "title\n===\n",
    "[x]: http://a.example\n\n",
    "    indented\n\n",
    "1. one\r\n2. two\r\n\r\n",
    "\r",
    "***\n",
    "<b>text</b> ",
    "$$\nx^2\n$$\n",
    "so $y_1$ and $5 ",
    "a note[^1] of [^2]\n\n",
    "[^1]: the note\n",
    "[^2]: more\nlines\n\n",
    "<details>\n<summary>s</summary>\n\n",
    "\n</details>\n",
    "<kbd>k</kbd>",
    "\0",
]


def applied(view: list[str], patch: Patch) -> list[str]:
    assert patch.start <= len(view)
    return view[: patch.start] + patch.blocks


@settings(deadline=None)
@given(some.lists(some.sampled_from(BLOCKS), max_size=12).map("".join), some.data())
def test_any_split_ends_in_the_exact_render(text: str, data: some.DataObject) -> None:
    step, view, position = StepHtml(), list[str](), 0
    while position < len(text):
        end = position + data.draw(some.integers(1, 40))
        step.add(text[position:end])
        position = end
        view = applied(view, step.patch())

    assert applied(view, step.final()) == render_blocks(text)


def test_what_is_settled_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []

    def render(text: str, env: Env) -> list[tuple[int, str]]:
        parsed.append(len(text))
        return render_blocks_with_lines(text, env)

    monkeypatch.setattr(step_html, "render_blocks_with_lines", render)
    step = StepHtml()
    for number in range(400):
        step.add(f"Paragraph {number} has some words.\n\n")
        step.patch()

    assert max(parsed) < 200


def test_a_patch_says_only_what_is_new() -> None:
    step = StepHtml()
    step.add("one\n\ntwo\n\nthree")
    assert step.patch() == Patch(0, ["<p>one</p>\n", "<p>two</p>\n", "<p>three</p>\n"])

    step.add(" more")

    assert step.patch() == Patch(2, ["<p>three more</p>\n"])


def test_a_link_that_is_defined_later_is_corrected_at_the_end() -> None:
    step = StepHtml()
    step.add("[x]\n\na\n\nb\n\nc\n\n[x]: http://a.example")
    shown = applied([], step.patch())
    step.add("/y")
    shown = applied(shown, step.patch())

    assert applied(shown, step.final())[0].startswith('<p><a href="http://a.example/y"')


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        # A line end of two characters that comes in two pieces is one line end.
        (["one\r", "\ntwo"], ["<p>one\ntwo</p>\n"]),
        (["one\r", "two"], ["<p>one\ntwo</p>\n"]),
        (["one\r\n\r", "\ntwo"], ["<p>one</p>\n", "<p>two</p>\n"]),
        (["one\r", "\rtwo"], ["<p>one</p>\n", "<p>two</p>\n"]),
        (["one\r\r", "", "\n\rtwo\r"], ["<p>one</p>\n", "<p>two</p>\n"]),
    ],
)
def test_line_ends_of_any_kind_are_shown_while_the_text_grows(pieces: list[str], shown: list[str]) -> None:
    step, view = StepHtml(), list[str]()

    for piece in pieces:
        step.add(piece)
        view = applied(view, step.patch())
        assert view[0].startswith("<p>one")

    assert view == shown
