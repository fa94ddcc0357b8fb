"""What all tools answer with."""

import pytest

from wakeful.tools.base import as_sentence


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("the disk is full", "The disk is full."),
        ("The disk is full.", "The disk is full."),
        ("éa", "Éa."),
        ("x", "X."),
        ("", "."),
    ],
)
def test_a_reason_becomes_a_sentence(reason: str, sentence: str) -> None:
    assert as_sentence(reason) == sentence
