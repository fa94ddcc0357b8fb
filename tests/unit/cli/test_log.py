"""The log shows no secret, whichever module logs it."""

import logging

from wakeful.cli.log import WithoutSecrets


def line(message: str, *secrets: str, error: Exception | None = None) -> str:
    record = logging.LogRecord(
        "library", logging.ERROR, __file__, 1, message, None, (type(error), error, None) if error else None
    )
    return WithoutSecrets(set(secrets)).format(record)


def test_secrets_are_hidden_in_a_message() -> None:
    assert line("connect with hunter22", "hunter22").endswith("ERROR library: connect with ***")


def test_secrets_are_hidden_in_a_traceback() -> None:
    assert "hunter22" not in line("failed", "hunter22", error=RuntimeError("bad url http://me:hunter22@host"))


def test_a_secret_inside_another_leaves_nothing_of_it() -> None:
    assert line("abcdefghijk", "abcdefgh", "abcdefghijk").endswith("library: ***")


def test_a_short_word_that_is_a_key_is_left_in_other_words() -> None:
    assert line("does not exist", "x", "exist").endswith("library: does not exist")
