"""Expressions that are compiled with RE2."""

import pytest
import re2

from wakeful.tools.base import Unusable
from wakeful.tools.search.expressions import compiled, compiled_for_bytes, path_filter


def test_an_expression_that_is_none_is_told_to_the_caller_alone(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unusable, match="pattern is not a regular expression that search_files knows: missing"):
        compiled("(")
    with pytest.raises(re2.error):
        compiled_for_bytes("(")

    assert capfd.readouterr() == ("", "")


def test_a_pattern_stays_within_its_line_and_the_name_of_a_file_does_not() -> None:
    assert compiled("a.b").search("a\nb") is None
    assert compiled_for_bytes("a.b").fullmatch(b"a\nb")
    assert compiled_for_bytes("a.b").fullmatch(b"a\xffb")


def test_a_glob_without_a_slash_means_names_at_any_depth() -> None:
    allows = path_filter("*.py", "src/")

    assert [allows(path) for path in (b"a.py", b"x/y/a.py", b"a.pyc")] == [True, True, False]
    assert path_filter("", "src/")(b"anything")


def test_a_glob_with_a_slash_counts_with_and_without_the_prefix() -> None:
    allows = path_filter("src/*.py", "src/")

    assert [allows(path) for path in (b"a.py", b"src/a.py", b"x/a.py", b"x/src/a.py")] == [True, True, False, False]
