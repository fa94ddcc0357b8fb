"""Long texts in parts: every word arrives, in order, and every part fits."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as some

from wakeful.gateway.messaging.text.form import TextForm
from wakeful.gateway.messaging.text.forms import FORMS
from wakeful.gateway.messaging.text.split import split

TINY = TextForm(40, str)


def test_a_short_text_is_one_part() -> None:
    assert split("Hello", TINY) == ["Hello"]
    assert split("", TINY) == [""]


def test_a_text_is_cut_at_the_last_paragraph_that_fits() -> None:
    assert split("one one one\n\ntwo two\ntwo\n\nthree three three three", TINY) == [
        "one one one\n\ntwo two\ntwo",
        "three three three three",
    ]


def test_without_a_paragraph_at_a_line_without_a_line_at_a_space_and_else_anywhere() -> None:
    assert split("a" * 30 + "\n" + "b" * 30, TINY) == ["a" * 30, "b" * 30]
    assert split("a" * 30 + " " + "b" * 30, TINY) == ["a" * 30, "b" * 30]
    assert split("aa\n" + "b" * 37 + "\n" + "c" * 9, TINY) == ["aa\n" + "b" * 37, "c" * 9]
    assert split("a" * 100, TINY) == ["a" * 40, "a" * 40, "a" * 20]


def test_a_code_block_that_is_cut_is_closed_and_opened_again_with_its_language() -> None:
    code = "\n".join(f"line {number}" for number in range(8))

    parts = split(f"```python\n{code}\n```", TINY)

    assert parts[0] == "```python\nline 0\nline 1\nline 2\n```"
    assert parts[1].startswith("```python\nline 3\n")
    assert all(part.endswith("\n```") and len(part) <= 40 for part in parts)
    assert [line for part in parts for line in part.split("\n")[1:-1]] == code.split("\n")


def test_a_code_block_is_not_cut_where_it_has_only_just_begun() -> None:
    assert split(f"{'a' * 20}\n\n```py\n{'b' * 30}\n```", TINY) == ["a" * 20, f"```py\n{'b' * 30}\n```"]
    assert split(f"{'a' * 30}\n```py\n{'b' * 20}\n```", TINY) == ["a" * 30, f"```py\n{'b' * 20}\n```"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "~~~\naaaa aaaa aaaa\n```\naaaa aaaa aaaa aaaa\n~~~",
            ["~~~\naaaa aaaa aaaa\n```\n~~~", "~~~\naaaa aaaa aaaa aaaa\n~~~"],
        ),
        (f"```\na\n````\n{'b' * 30} c", ["```\na\n````", f"{'b' * 30} c"]),
        (f"``` {'l' * 40}\na\n```", None),
    ],
)
def test_a_code_block_ends_with_marks_of_its_own_kind(text: str, parts: list[str] | None) -> None:
    found = split(text, TINY)

    assert all(len(part) <= 40 for part in found)
    assert parts is None or found == parts


def test_what_is_indented_stays_so_after_a_line_and_spaces_at_a_cut_are_dropped() -> None:
    assert split(f"{'a' * 38}\n\n  {'b' * 10}", TINY) == ["a" * 38, f"  {'b' * 10}"]
    assert split(f"{'a' * 38}   {'b' * 10}", TINY) == ["a" * 38, "b" * 10]


def test_an_empty_line_in_a_code_block_ends_no_paragraph() -> None:
    parts = split("before\n\n```\nab\n\ncd\n\nef\n\ngh\n\nij\n\nkl\n\nmn\n```", TINY)

    assert parts[0] == "before"


def test_a_part_that_is_full_stays_while_the_text_grows() -> None:
    text = "".join(f"word{number} " + "\n\n" * (number % 7 == 0) for number in range(900))
    form = FORMS["discord"]

    whole = split(text, form)

    for end in range(2500, len(text), 611):
        growing = split(text[:end], form)
        assert growing[:-1] == whole[: len(growing) - 1]


@pytest.mark.parametrize("platform", FORMS)
@pytest.mark.parametrize(
    "text",
    [
        "```\n" + "a" * 20_000,
        "```" + "a" * 20_000 + "\na\n```",
        "`" * 5_000 + "\n" + "a" * 20_000,
        "**a " * 2_000 + " b**" * 2_000,
        "*" * 3_000 + "a" + "*" * 3_000,
        " " * 50_000 + "a",
    ],
    ids=["long line of code", "long language", "long marks", "nested bold", "nested marks", "spaces"],
)
def test_what_no_person_writes_is_cut_all_the_same(platform: str, text: str) -> None:
    form = FORMS[platform]

    parts = split(text, form)

    assert all(part.strip() and form.fits(part) for part in parts)
    assert _letters("".join(parts)).count("a") >= text.count("a")
    assert len(parts) <= 2 + len(text) // (form.limit // 2)


@given(some.text(alphabet=some.sampled_from("ab &<>*_`~#\n|-\N{CHERRIES}"), max_size=400))
def test_every_letter_arrives_in_parts_that_fit(text: str) -> None:
    for form in (TINY, *(TextForm(40, form.render, form.counted) for form in FORMS.values())):
        parts = split(text, form)

        assert all(form.fits(part) for part in parts)
        assert _letters("".join(parts)) == _letters(text)


def _letters(text: str) -> str:
    return re.sub(r"[^ab\N{CHERRIES}]", "", text)
