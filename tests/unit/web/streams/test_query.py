"""Which sessions a connection follows, and where it goes on."""

import pytest
from starlette.requests import Request

from wakeful.web.streams.query import SessionStreamQuery, SeveralStreamsQuery, cursor_of, require_turns
from wakeful.wire.errors import InvalidRequest


def ids(count: int) -> str:
    return ",".join(f"ses_{number}" for number in range(count))


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (SeveralStreamsQuery(sessions="a, b,,a ,c"), ["a", "b", "c"]),
        (SeveralStreamsQuery(rows=True), []),
        (SeveralStreamsQuery(news=True), []),
        (SeveralStreamsQuery(sessions=ids(100)), ids(100).split(",")),
        (SeveralStreamsQuery(sessions=ids(100), rows=True), ids(100).split(",")),
    ],
)
def test_each_session_is_followed_once_in_the_order_of_the_query(asked: SeveralStreamsQuery, named: list[str]) -> None:
    assert asked.session_ids() == named


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (SeveralStreamsQuery(), "sessions must be 1 to 100 ids, separated by commas."),
        (SeveralStreamsQuery(work=True), "sessions must be 1 to 100 ids, separated by commas."),
        (SeveralStreamsQuery(sessions=" , "), "sessions must be 1 to 100 ids, separated by commas."),
        (SeveralStreamsQuery(sessions=ids(101)), "sessions must be 1 to 100 ids, separated by commas."),
        (SeveralStreamsQuery(sessions=ids(101), news=True), "sessions must be 0 to 100 ids, separated by commas."),
        (SeveralStreamsQuery(sessions="x" * 201), "sessions must be texts of 1 to 200 characters."),
    ],
)
def test_a_connection_follows_something_and_not_too_much(asked: SeveralStreamsQuery, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        asked.session_ids()

    assert (str(refused.value), refused.value.param) == (sentence, "sessions")


def test_html_is_that_of_turns() -> None:
    with pytest.raises(InvalidRequest, match="html needs turns=inline") as refused:
        require_turns(SessionStreamQuery(session_id="a", html=True))

    assert refused.value.param == "html"
    require_turns(SessionStreamQuery(session_id="a", html=True, turns="inline"))
    require_turns(SessionStreamQuery(session_id="a"))


@pytest.mark.parametrize(("header", "cursor"), [([(b"last-event-id", b"7")], "7"), ([], "3")])
def test_a_reader_goes_on_where_its_browser_says(header: list[tuple[bytes, bytes]], cursor: str) -> None:
    assert cursor_of(Request({"type": "http", "headers": header}), "3") == cursor
