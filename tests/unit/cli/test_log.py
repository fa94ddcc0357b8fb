"""The log shows no secret, whoever writes it."""

import logging

from wakeful.cli.log import WithoutSecrets


def line(message: str, *secrets: str, error: Exception | None = None) -> str:
    record = logging.LogRecord(
        "library", logging.ERROR, __file__, 1, message, None, (type(error), error, None) if error else None
    )
    return WithoutSecrets(set(secrets)).format(record)


def test_secrets_are_hidden_in_a_message() -> None:
    assert line("connect with hunter2", "hunter2").endswith("ERROR library: connect with ***")


def test_secrets_are_hidden_in_a_traceback() -> None:
    assert "hunter2" not in line("failed", "hunter2", error=RuntimeError("bad url http://me:hunter2@host"))


def test_a_secret_inside_another_leaves_nothing_of_it() -> None:
    assert line("abcdef", "abc", "abcdef").endswith("library: ***")
