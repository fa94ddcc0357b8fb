"""The password: only it fits, none does when none is set, and the comparison leaks nothing by its time."""

from typing import Any

import pytest

from wakeful.gateway.entrance.logins import password as module
from wakeful.gateway.entrance.logins.password import Password


def test_only_the_whole_word_fits() -> None:
    password = Password("correct horse")

    assert password.fits("correct horse")
    assert [password.fits(word) for word in ("", "correct", "correct horse ", "Correct horse", "\ud800")] == [False] * 5


def test_without_a_password_nothing_fits() -> None:
    password = Password("")

    assert not password.is_set
    assert not password.fits("")


def test_the_word_itself_is_kept_nowhere() -> None:
    password = Password("correct horse")

    kept = [value for value in vars(password).values() if isinstance(value, str | bytes)]

    assert kept
    assert not any("horse" in str(value) for value in kept)


def test_digests_of_one_length_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[int, int]] = []

    def compare(a: bytes, b: bytes) -> bool:
        compared.append((len(a), len(b)))
        return a == b

    monkeypatch.setattr(module, "compare_digest", compare)
    password: Any = Password("correct horse")

    assert password.fits("correct horse")
    assert not password.fits("c")
    assert compared == [(64, 64)] * 2
