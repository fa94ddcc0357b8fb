"""Code is highlighted by lexers that odd input cannot stall."""

import re
import time
from html import unescape
from types import SimpleNamespace
from typing import Any

import pygments.lexers
import pytest

from wakeful.web.html import highlight
from wakeful.web.html.highlight import LANGUAGES, coloured


def plain(html: str) -> str:
    return unescape(re.sub("<[^>]*>", "", html))


@pytest.mark.parametrize("language", ["python", "Python", "js", "c++", "yml"])
def test_well_known_languages_have_colours(language: str) -> None:
    assert "<span" in coloured('if: "text" 1', language)


def test_each_kind_of_word_has_its_colour_and_blanks_have_none() -> None:
    code = "# words\n@kept\ndef f(a):\n    return a < 'b'\n\n\nclass C:\n    x = 1"

    html = coloured(code, "python")

    spans = [("c", "# words"), ("f", "@kept"), ("k", "def"), ("f", "f"), ("k", "return"), ("s", "b")]
    for name, words in [*spans, ("k", "class"), ("f", "C"), ("n", "1")]:
        assert f'<span class="hl-{name}">{words}</span>' in html
    assert not re.search(r">\s+</span>", html)
    assert plain(html) == code


@pytest.mark.parametrize(
    ("code", "is_coloured"),
    [
        (("#" * 999 + "\n") * 50, True),
        (("#" * 999 + "\n") * 50 + "#", False),
        ("#" * 1_000 + "\nx", True),
        ("#" * 1_001 + "\nx", False),
    ],
    ids=["50,000 letters", "one more", "a line of 1,000 letters", "a longer line"],
)
def test_long_code_and_long_lines_have_no_colours(
    monkeypatch: pytest.MonkeyPatch, code: str, is_coloured: bool
) -> None:
    monkeypatch.setattr(highlight, "time", SimpleNamespace(thread_time=lambda: 0.0))
    html = coloured(code, "python")

    assert ("<span" in html) is is_coloured
    assert plain(html) == code


def test_when_the_time_is_up_the_rest_is_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(range(1000))
    monkeypatch.setattr(highlight, "time", SimpleNamespace(thread_time=lambda: next(looks) * 0.02))

    html = coloured("1 2 3 4 < '5'", "python")

    assert html == "<span class=\"hl-n\">1</span> 2 3 4 &lt; '5'"


def test_the_time_that_a_lexer_takes_to_load_is_not_that_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    found = pygments.lexers.get_lexer_by_name

    def load_slowly(*args: Any, **options: Any) -> Any:
        now[0] += 10
        return found(*args, **options)

    monkeypatch.setattr(pygments.lexers, "get_lexer_by_name", load_slowly)
    monkeypatch.setattr(highlight, "time", SimpleNamespace(thread_time=lambda: now[0]))
    highlight._load.cache_clear()

    assert coloured("1", "python") == '<span class="hl-n">1</span>'


@pytest.mark.parametrize("language", ["", "matlab", "psql", "http", "text", "no-such-language", "octave"])
def test_code_of_any_other_language_is_plain_text(language: str) -> None:
    assert coloured("x = 'a' < 1 % words", language) == "x = 'a' &lt; 1 % words"


def test_a_fence_inside_markdown_does_not_choose_a_lexer() -> None:
    assert "<span" not in coloured("```python\nclass A: pass\n```", "markdown").split("\n")[1]


def test_no_language_takes_long_for_hostile_input(monkeypatch: pytest.MonkeyPatch) -> None:
    # Time runs out after a token, however long that one takes.
    monkeypatch.setattr(highlight, "_MOST_SECONDS", 0.01)
    code = "\n " * 8_000
    slow = []
    for language in LANGUAGES:
        before = time.thread_time()
        coloured(code, language)
        if time.thread_time() - before > 3:
            slow.append(language)

    assert not slow
