"""Expressions in the words of RE2 and of ripgrep."""

import pytest

from wakeful.tools.base import Unusable
from wakeful.tools.search.pattern import Pattern, pattern_of

# Each with what RE2 reads, and what ripgrep reads if that is something else.
TRANSLATED = [
    ("a b", "a b", ""),
    ("é_-", "é\\x{5F}\\x{2D}", ""),
    ("^a$", "(?:^\\x{FEFF}?)a(?:\\r?$)", ""),
    ("a.b*c+d?e|f", "a.b*c+d?e|f", ""),
    ("(a)", "(a)", ""),
    ("(?:a)", "(?:a)", ""),
    ("(?i)a", "(?i)a", ""),
    ("(?i:a)", "(?i:a)", ""),
    ("(?-i)a", "(?-i)a", ""),
    ("(?s-i:a)", "(?s-i:a)", ""),
    ("(?)a", "(?)a", ""),
    ("(?P<n>a)", "(a)", ""),
    ("(?<n>a)", "(a)", ""),
    ("a{2}", "a{2}", ""),
    ("a{2,}", "a{2,}", ""),
    ("a{2,3}", "a{2,3}", ""),
    ("{", "\\x{7B}", ""),
    ("{2}", "\\x{7B}2\\x{7D}", ""),
    ("a{", "a\\x{7B}", ""),
    ("a{x}", "a\\x{7B}x\\x{7D}", ""),
    ("a{,2}", "a\\x{7B}\\x{2C}2\\x{7D}", ""),
    ("a{1000}", "a{1000}", ""),
    ("\\d\\D\\w\\W\\s\\S", "[0-9][^0-9][0-9A-Za-z_][^0-9A-Za-z_][\\t\\x0B\\x0C\\r ][^\\t\\x0B\\x0C\\r ]", ""),
    ("\\b\\B", "\\b\\B", "(?-u:\\b)(?-u:\\B)"),
    ("\\t\\r\\f\\v\\a", "\\x{9}\\x{D}\\x{C}\\x{B}\\x{7}", ""),
    ("\\.\\\\\\-", "\\x{2E}\\x{5C}\\x{2D}", ""),
    ("\\x41\\u0042\\x{43}\\u{1F600}", "ABC😀", ""),
    ("\\pL\\p{Greek}\\P{^L}", "\\pL\\p{Greek}\\P{^L}", ""),
    ("[a]", "[a]", ""),
    ("[^a]", "[^a]", ""),
    ("[]a]", "[\\x{5D}a]", ""),
    ("[^]a]", "[^\\x{5D}a]", ""),
    ("[a-c]", "[a-c]", ""),
    ("[a-]", "[a\\x{2D}]", ""),
    ("[-a]", "[\\x{2D}a]", ""),
    ("[\\d]", "[0-9]", ""),
    ("[\\D\\W]", "[\\x00-/:-\\x{10FFFF}\\x00-/:-@\\[-^`{-\\x{10FFFF}]", ""),
    ("[\\S\\w\\s]", "[\\x00-\\x08\\x0E-\\x1F!-\\x{10FFFF}0-9A-Za-z_\\t\\x0B\\x0C\\r ]", ""),
    ("[\\d-x]", "[0-9\\x{2D}x]", ""),
    ("[[:alpha:]]", "[[:alpha:]]", ""),
    ("[[:^digit:]x]", "[[:^digit:]x]", ""),
    ("[\\]\\^\\t\\x41-\\x43]", "[\\x{5D}\\x{5E}\\x{9}A-C]", ""),
    ("[a\\-c]", "[a\\x{2D}c]", ""),
    ("[\\pL]", "[\\pL]", ""),
    ("[{}.*]", "[\\x{7B}\\x{7D}\\x{2E}\\x{2A}]", ""),
    ("]", "\\x{5D}", ""),
    ("}", "\\x{7D}", ""),
    ("\\x{10FFFF}", "\U0010ffff", ""),
    ("a{1,1000}", "a{1,1000}", ""),
    ("[\\pL-a]", "[\\pL\\x{2D}a]", ""),
    ("[a-\\x{63}]", "[a-c]", ""),
]
REFUSED = [
    ("(?=a)", "pattern uses look-around, which search_files does not have"),
    ("(?!a)", "pattern uses look-around, which search_files does not have"),
    ("(?<=a)", "pattern uses look-around, which search_files does not have"),
    ("(?<!a)", "pattern uses look-around, which search_files does not have"),
    ("(?x)a", "pattern begins a group with (?x, which is not known"),
    ("(?#a)", "pattern begins a group with (?#, which is not known"),
    ("a{1001}", "pattern repeats something more than 1,000 times"),
    ("a{1,1001}", "pattern repeats something more than 1,000 times"),
    ("a{1001,}", "pattern repeats something more than 1,000 times"),
    ("\\", "pattern ends with a backslash"),
    ("a\\", "pattern ends with a backslash"),
    ("\\1", "pattern uses a back-reference, which search_files does not have"),
    ("\\n", "pattern contains \\n, but a match lies within one line"),
    ("\\q", "pattern contains \\q, which is not known"),
    ("\\z", "pattern contains \\z, which is not known"),
    ("a\nb", "pattern contains a line break, but a match lies within one line"),
    ("[a", "pattern has a [ without its ]"),
    ("[", "pattern has a [ without its ]"),
    ("[]", "pattern has a [ without its ]"),
    ("[^]", "pattern has a [ without its ]"),
    ("[\\b]", "pattern contains \\b in [ ], which is not known"),
    ("[a-\\d]", "pattern has a range in [ ] that ends with a class"),
    ("[\\n]", "pattern contains \\n, but a match lies within one line"),
    ("[\\q]", "pattern contains \\q, which is not known"),
    ("[\\1]", "pattern uses a back-reference, which search_files does not have"),
    ("[a\\", "pattern ends with a backslash"),
    ("\\x{110000}", "pattern contains \\x{110000}, which is no character"),
    ("\ud800", "pattern is not valid Unicode"),
    ("[\n]", "pattern contains a line break, but a match lies within one line"),
    ("(?P>a)", "pattern begins a group with (?P, which is not known"),
    ("(?P<1>a)", "pattern begins a group with (?P, which is not known"),
]


def test_a_pattern_is_written_so_that_both_engines_read_it_alike() -> None:
    def translated(text: str) -> tuple[str, str, str]:
        pattern = pattern_of(text, ignore_case=False)
        assert (pattern.re2[:4], pattern.ripgrep[:4]) == ("(?m)", "(?m)")
        return text, pattern.re2[4:], "" if pattern.ripgrep == pattern.re2 else pattern.ripgrep[4:]

    assert [translated(text) for text, _, _ in TRANSLATED] == TRANSLATED


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_what_one_of_the_engines_lacks_is_refused(text: str, words: str) -> None:
    with pytest.raises(Unusable) as refused:
        pattern_of(text, ignore_case=False)

    assert str(refused.value) == words


def test_case_is_ignored_by_both() -> None:
    assert pattern_of("a", ignore_case=True) == Pattern("(?im)a", "(?im)a")


def test_a_pattern_has_2000_characters_at_most() -> None:
    assert pattern_of("a" * 2_000, ignore_case=False).re2 == "(?m)" + "a" * 2_000
    with pytest.raises(Unusable, match="pattern is longer than 2,000 characters"):
        pattern_of("a" * 2_001, ignore_case=False)
