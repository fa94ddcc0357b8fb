"""Globs as regular expressions."""

import pytest

from wakeful.tools.search.globs import bytes_of, character_of, glob_expression

EXPRESSIONS = [
    ("a", "a"),
    ("*", "[^/]*"),
    ("a*b", "a[^/]*b"),
    ("**", ".*"),
    ("***", "[^/]*"),
    ("**/a", "(?:.*/)?a"),
    ("a/**", "a/.*"),
    ("/**", "/.*"),
    ("a/**/b", "a/(?:.*/)?b"),
    ("/**/", "/(?:.*/)?"),
    ("**a", "[^/]*a"),
    ("a**", "a[^/]*"),
    ("x/**y", "x/[^/]*y"),
    ("**/**/a", "(?:.*/)?[^/]*/a"),
    ("?", "[^/]"),
    ("{a,b}", "(?:a|b)"),
    ("{a,{b,c}}d", "(?:a|(?:b|c))d"),
    ("a,b", "a,b"),
    ("\\*", "*"),
    ("a\\\\", "a\\"),
    ("[a]", "[a]"),
    ("[ab]", "[ab]"),
    ("[!a]", "[^a]"),
    ("[^a]", "[^a]"),
    ("[a-c]", "[a-c]"),
    ("[a-]", "[a-]"),
    ("[-a]", "[-a]"),
    ("[]]", "[]]"),
    ("[]a]", "[]a]"),
    ("[!]]", "[^]]"),
    ("[a-c-e]", "[a-c-e]"),
    ("[!a-c]x", "[^a-c]x"),
    ("[a]b]", "[a]b]"),
    ("/", "/"),
    ("a/*/b", "a/[^/]*/b"),
    ("a/**b", "a/[^/]*b"),
]
REFUSED = [
    ("{a", "a { without its }"),
    ("}", "a } without its {"),
    ("a}", "a } without its {"),
    ("[", "a [ without its ]"),
    ("[]", "a [ without its ]"),
    ("[!", "a [ without its ]"),
    ("[a", "a [ without its ]"),
    ("\\", "a backslash at its end"),
    ("a\\", "a backslash at its end"),
    ("{a}}", "a } without its {"),
    ("{{a}", "a { without its }"),
    ("[!]", "a [ without its ]"),
]


def test_a_glob_becomes_an_expression_for_whole_paths() -> None:
    assert [(glob, glob_expression(glob, str)) for glob, _ in EXPRESSIONS] == EXPRESSIONS


@pytest.mark.parametrize(("glob", "words"), REFUSED)
def test_a_glob_that_is_not_complete_is_refused(glob: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}$".replace("[", r"\[").replace("{", r"\{")):
        glob_expression(glob, str)


def test_characters_are_written_by_their_numbers() -> None:
    assert bytes_of("aé\udcff") == r"\x{61}\x{C3}\x{A9}\x{FF}"
    assert (character_of("a"), character_of("é")) == (r"\x{61}", r"\x{E9}")
    assert glob_expression("a[b-c]\\d", bytes_of) == r"\x{61}[\x{62}-\x{63}]\x{64}"
