"""Exit codes in words that follow a command."""

import pytest

from wakeful.model.tasks.end_words import end_label, end_words, short_command


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        ("exited", 0, "ended well"),
        ("failed", 2, "failed with exit code 2"),
        ("failed", 124, "ran out of time"),
        ("failed", 127, "was not found"),
        ("failed", 137, "was killed (exit code 137), most often for want of memory"),
        ("failed", None, "failed"),
        ("killed", None, "was stopped"),
        ("lost", None, "was lost when the machine restarted"),
    ],
)
def test_an_end_is_a_sentence(status: str, code: int | None, words: str) -> None:
    assert end_words(status, code) == words


def test_a_label_keeps_the_number_apart_and_a_sub_agent_has_none() -> None:
    assert end_label("failed", 127) == "failed · exit code 127"
    assert end_label("exited", 0, "delegation") == "reported"
    assert end_words("failed", None, "delegation") == "failed"
    assert [end_label(status, 0, "delegation") for status in ("failed", "killed")] == ["failed", "was stopped"]
    assert [end_label("exited", 0), end_label("killed", None)] == ["ended well · exit code 0", "was stopped"]


def test_a_command_is_named_by_its_first_line() -> None:
    assert short_command("make\n") == "make"
    assert short_command("make\nmake install") == "make …"
    assert short_command("x" * 60) == "x" * 60
    assert short_command("x" * 61) == "x" * 58 + " …"
