"""Code is highlighted by lexers that odd input cannot stall."""

import time

import pytest

from wakeful.web.html.highlight import LANGUAGES, coloured


@pytest.mark.parametrize("language", ["python", "Python", "js", "c++", "yml"])
def test_well_known_languages_have_colours(language: str) -> None:
    assert "<span" in coloured('if: "text" 1', language)


@pytest.mark.parametrize("language", ["", "matlab", "psql", "http", "text", "no-such-language", "octave"])
def test_code_of_any_other_language_is_plain_text(language: str) -> None:
    assert coloured("x = 'a' < 1 % words", language) == "x = 'a' &lt; 1 % words"


def test_a_fence_inside_markdown_does_not_choose_a_lexer() -> None:
    assert "<span" not in coloured("```python\nclass A: pass\n```", "markdown").split("\n")[1]


def test_no_language_takes_long_for_hostile_input() -> None:
    code = "\n " * 8_000
    slow = []
    for language in LANGUAGES:
        before = time.thread_time()
        coloured(code, language)
        if time.thread_time() - before > 3:
            slow.append(language)

    assert not slow
