"""Cron jobs as clients send them: what is left out stays as it is, and what does not fit is refused by name."""

from typing import Any

import pytest

from wakeful.web.schedules.job import ChangedJob, NewJob, fields_of
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read

_JOB = {"schedule": "@daily", "prompt": "work"}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"schedule": "x" * 200, "deliver": "x" * 300, "timezone": "x" * 100, "name": "x" * 100, "model": "x" * 200},
        {"catch_up_seconds": 0, "fresh": False},
        {"catch_up_seconds": 365 * 86_400, "fresh": True},
    ],
)
def test_a_job_has_the_fields_that_were_given(more: dict[str, Any]) -> None:
    assert fields_of(read(NewJob, _JOB | more)) == _JOB | more
    assert fields_of(read(ChangedJob, more | {"paused": False, "name": None})) == {
        name: value for name, value in more.items() if name != "name"
    } | {"paused": False}


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("schedule", "", "schedule must be a text of 1 to 200 characters."),
        ("schedule", "x" * 201, "schedule must be a text of 1 to 200 characters."),
        ("prompt", " ", "prompt must be a non-empty text."),
        ("deliver", "x" * 301, "deliver must be a text of at most 300 characters."),
        ("timezone", "x" * 101, "timezone must be a text of at most 100 characters."),
        ("name", "x" * 101, "name must be a printable text of at most 100 characters."),
        ("name", "a\nb", "name must be a printable text of at most 100 characters."),
        ("catch_up_seconds", -0.5, "catch_up_seconds must be a number from 0 to 3.1536e+07."),
        ("catch_up_seconds", 365 * 86_400 + 1, "catch_up_seconds must be a number from 0 to 3.1536e+07."),
    ],
)
def test_a_field_that_does_not_fit_is_refused_by_name(name: str, value: Any, sentence: str) -> None:
    fitting = fields_of(read(NewJob, _JOB))
    kinds: list[type[NewJob] | type[ChangedJob]] = [NewJob, ChangedJob]
    for kind in kinds:
        with pytest.raises(InvalidRequest) as refused:
            read(kind, {**fitting, name: value})
        assert (str(refused.value), refused.value.param) == (sentence, name)
