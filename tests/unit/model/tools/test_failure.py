"""What people read of a call that failed."""

import pytest

from wakeful.model.tools.failure import failure_sentence, failure_text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (failure_text("gone", "It is gone.", path="a"), "It is gone."),
        ("It broke.", "It broke."),
        ('{"error": 7}', '{"error": 7}'),
        ('["It broke."]', '["It broke."]'),
    ],
)
def test_people_read_the_sentence_of_a_failure(text: str, sentence: str) -> None:
    assert failure_sentence(text) == sentence
