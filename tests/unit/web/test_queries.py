"""Queries of the web routes: what is meant where a client leaves something out, and how far its numbers go."""

from typing import Any

import pytest

from wakeful.web.facts.usage import UsageQuery
from wakeful.web.messaging.outbox import OutboxQuery
from wakeful.web.schedules.routes import JobsQuery, NextQuery, RunsQuery
from wakeful.web.sessions.requests import SeenSession, SessionQuery, SessionsQuery
from wakeful.web.sessions.undo import Undo
from wakeful.web.streams.query import SessionStreamQuery, SeveralStreamsQuery
from wakeful.web.tasks.routes import LogQuery, TasksQuery
from wakeful.web.timeline.routes import TimelineQuery
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read, read_texts

_OF = {"session_id": "ses_1"}


@pytest.mark.parametrize(
    ("kind", "given", "name", "by_default", "least", "most"),
    [
        (UsageQuery, {}, "days", 7, 1, 366),
        (OutboxQuery, {}, "limit", 200, 1, 1000),
        (RunsQuery, {}, "limit", 100, 1, 1000),
        (NextQuery, {"schedule": "@daily"}, "count", 5, 1, 1000),
        (SessionsQuery, {}, "limit", 50, 1, 200),
        (SessionQuery, _OF, "limit", 100, 1, 1000),
        (LogQuery, {}, "offset", 0, 0, 1 << 53),
        (TasksQuery, {}, "limit", 200, 1, 1000),
        (TimelineQuery, _OF, "limit", 200, 1, 1000),
    ],
)
def test_a_number_out_of_range_is_moved_into_it(
    kind: Any, given: dict[str, str], name: str, by_default: int, least: int, most: int
) -> None:
    asked = [read_texts(kind, given | more) for more in ({}, {name: ""}, {name: "-5"}, {name: str(1 << 60)})]

    assert [getattr(query, name) for query in asked] == [by_default, by_default, least, most]


@pytest.mark.parametrize(
    ("kind", "given", "names"),
    [
        (SessionsQuery, {}, ["archived"]),
        (SessionQuery, _OF, ["short"]),
        (JobsQuery, {}, ["last_runs"]),
        (SessionStreamQuery, _OF, ["html"]),
        (SeveralStreamsQuery, {}, ["html", "rows", "news", "work"]),
    ],
)
def test_a_switch_is_off_until_it_is_set(kind: Any, given: dict[str, str], names: list[str]) -> None:
    for name in names:
        asked = [read_texts(kind, given | more) for more in ({}, {name: ""}, {name: "0"}, {name: "1"})]
        assert [getattr(query, name) for query in asked] == [False, False, False, True]


def test_an_undo_is_forced_only_if_it_says_so() -> None:
    assert [read(Undo, {**_OF, **more}).force for more in ({}, {"force": True})] == [False, True]


@pytest.mark.parametrize(("event_id", "is_one"), [(0, True), (2**53 - 1, True), (-1, False), (2**53, False)])
def test_the_number_of_an_event_that_was_seen_is_one_that_javascript_can_count_to(event_id: int, is_one: bool) -> None:
    given = _OF | {"event_id": event_id}
    if is_one:
        assert read(SeenSession, given).event_id == event_id
    else:
        with pytest.raises(InvalidRequest, match="0 or more"):
            read(SeenSession, given)
