"""Schedules: the times that they mean, also on the days when clocks are set."""

from datetime import UTC, datetime
from itertools import islice, takewhile

import pytest

from wakeful.model.schedules.due import due_times
from wakeful.model.schedules.schedule import Once, ScheduleError, parse_schedule
from wakeful.model.schedules.target import parse_target, target_text
from wakeful.model.session import Address

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def times(text: str, start: str, count: int, zone: str = "UTC") -> list[str]:
    begin = datetime.fromisoformat(start).timestamp()
    schedule = parse_schedule(text, zone, begin)
    return [
        datetime.fromtimestamp(at, UTC).isoformat().removesuffix("+00:00")
        for at in islice(schedule.after(begin), count)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30 9 * * 1-5", ["2026-01-01T09:30:00", "2026-01-02T09:30:00", "2026-01-05T09:30:00"]),
        ("15 30 9 * * *", ["2026-01-01T09:30:15", "2026-01-02T09:30:15", "2026-01-03T09:30:15"]),
        ("@hourly", ["2026-01-01T01:00:00", "2026-01-01T02:00:00", "2026-01-01T03:00:00"]),
        ("@daily", ["2026-01-02T00:00:00", "2026-01-03T00:00:00", "2026-01-04T00:00:00"]),
        ("@weekly", ["2026-01-04T00:00:00", "2026-01-11T00:00:00", "2026-01-18T00:00:00"]),
        ("@monthly", ["2026-02-01T00:00:00", "2026-03-01T00:00:00", "2026-04-01T00:00:00"]),
        ("every 90s", ["2026-01-01T00:01:30", "2026-01-01T00:03:00", "2026-01-01T00:04:30"]),
        ("Every 2 D", ["2026-01-03T00:00:00", "2026-01-05T00:00:00", "2026-01-07T00:00:00"]),
        ("in 5m", ["2026-01-01T00:05:00"]),
        ("at 2026-01-01T09:00:00+01:00", ["2026-01-01T08:00:00"]),
    ],
)
def test_a_schedule_means_these_times(text: str, expected: list[str]) -> None:
    assert times(text, "2026-01-01T00:00:00Z", 3) == expected


def test_an_interval_keeps_its_beat_whenever_it_is_asked() -> None:
    schedule = parse_schedule("every 10m", "UTC", 1000.0)

    assert next(schedule.after(500.0)) == 1600.0
    assert next(schedule.after(1600.0)) == 2200.0
    assert next(schedule.after(2201.0)) == 2800.0


def test_a_time_that_the_clock_leaves_out_fires_at_the_end_of_the_gap() -> None:
    assert times("30 2 * * *", "2026-03-28T00:00:00Z", 3, "Europe/Berlin") == [
        "2026-03-28T01:30:00",
        "2026-03-29T01:00:00",
        "2026-03-30T00:30:00",
    ]


def test_two_times_in_the_gap_fire_as_one() -> None:
    assert times("0,30 2 * * *", "2026-03-28T20:00:00Z", 2, "Europe/Berlin") == [
        "2026-03-29T01:00:00",
        "2026-03-30T00:00:00",
    ]


@pytest.mark.parametrize("expression", ["30 2 * * *", "0 30 2 * * *"])
def test_a_time_that_comes_twice_fires_the_first_time(expression: str) -> None:
    assert times(expression, "2026-10-24T12:00:00Z", 2, "Europe/Berlin") == [
        "2026-10-25T00:30:00",
        "2026-10-26T01:30:00",
    ]


@pytest.mark.parametrize("start", ["2026-10-25T00:30:00Z", "2026-10-25T01:10:00Z", "2026-10-25T01:40:00Z"])
def test_a_time_that_has_come_once_does_not_come_again_in_the_second_hour(start: str) -> None:
    assert times("30 2 * * *", start, 1, "Europe/Berlin") == ["2026-10-26T01:30:00"]


def test_a_later_time_of_the_same_hour_still_comes_in_the_first() -> None:
    assert times("10,50 2 * * *", "2026-10-25T00:10:00Z", 2, "Europe/Berlin") == [
        "2026-10-25T00:50:00",
        "2026-10-26T01:10:00",
    ]


def test_every_hour_goes_by_real_time_on_both_days() -> None:
    spring = times("0 * * * *", "2026-03-29T00:00:00Z", 3, "Europe/Berlin")
    autumn = times("0 * * * *", "2026-10-24T23:00:00Z", 3, "Europe/Berlin")

    assert spring == ["2026-03-29T01:00:00", "2026-03-29T02:00:00", "2026-03-29T03:00:00"]
    assert autumn == ["2026-10-25T00:00:00", "2026-10-25T01:00:00", "2026-10-25T02:00:00"]


@pytest.mark.parametrize(
    ("text", "zone", "field"),
    [
        ("", "UTC", "schedule"),
        ("* * * *", "UTC", "schedule"),
        ("61 * * * *", "UTC", "schedule"),
        ("0 0 30 2 *", "UTC", "schedule"),
        ("every 0m", "UTC", "schedule"),
        ("every -1m", "UTC", "schedule"),
        ("in 5 years", "UTC", "schedule"),
        ("at tomorrow", "UTC", "schedule"),
        ("at 2026-01-01T09:00:00", "UTC", "schedule"),
        ("at 2025-01-01T09:00:00Z", "UTC", "schedule"),
        ("@reboot", "UTC", "schedule"),
        ("0 9 * * *", "Mars/Olympus", "timezone"),
        ("0 9 * * *", "../etc/passwd", "timezone"),
        ("0 9 * * *", "", "timezone"),
    ],
)
def test_what_cannot_be_read_names_the_field(text: str, zone: str, field: str) -> None:
    with pytest.raises(ScheduleError) as refused:
        parse_schedule(text, zone, NEW_YEAR)

    assert refused.value.field == field


@pytest.mark.parametrize("text", ["every 59s", "*/30 * * * * *", "0,59 * * * *", "0 0 * * * *"])
def test_what_fires_too_often_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError, match="faster than every 3601 seconds"):
        parse_schedule(text, "UTC", NEW_YEAR, min_seconds=3601)


def test_what_fires_once_is_never_too_fast() -> None:
    assert parse_schedule("in 5s", "UTC", NEW_YEAR, min_seconds=60) == Once(NEW_YEAR + 5)


def test_real_time_also_follows_clocks_that_are_set_by_half_an_hour() -> None:
    """On Lord Howe Island, 01:30 to 02:00 comes twice on 4 April 2027."""
    found = times("*/20 1,2 * * *", "2027-04-03T14:30:00Z", 6, "Australia/Lord_Howe")

    minutes = ("14:40", "15:10", "15:30", "15:50", "16:10")
    assert found == [*(f"2027-04-03T{minute}:00" for minute in minutes), "2027-04-04T14:30:00"]


@pytest.mark.parametrize(
    "text", ["every 99999d", "in 999999999d", "at 9999-01-01T00:00:00Z", "at 0001-01-01T00:00:00Z"]
)
def test_times_that_cannot_be_meant_are_refused(text: str) -> None:
    with pytest.raises(ScheduleError):
        parse_schedule(text, "UTC", 0.0)


@pytest.mark.parametrize("start", [1_794_824_600.586, 3.3])
def test_an_interval_never_stands_still_whatever_floating_point_makes_of_it(start: float) -> None:
    schedule = parse_schedule("every 7s", "UTC", start)
    at, steps = start, 0
    while steps < 5000:
        later = next(schedule.after(at))
        assert at < later < at + 7.1
        at, steps = later, steps + 1


def test_targets_name_a_chat_or_a_thread() -> None:
    assert parse_target("telegram:-100:7") == Address("telegram", "-100", "7")
    assert target_text(parse_target(" slack:C1 ")) == "slack:C1"
    for text in ("", "telegram", "telegram:", ":1", "telegram:1:", "a:b:c:d", "telegram: 1", "telegram:1\n2"):
        with pytest.raises(ScheduleError):
            parse_target(text)


@pytest.mark.parametrize("limit", [1, 3, 1000])
def test_the_newest_due_times_are_found_however_long_nobody_looked(limit: int) -> None:
    schedule = parse_schedule("*/15 9 * * 1", "UTC", 0.0)
    first = next(schedule.after(0.0))
    now = first + 40 * 86_400

    due = due_times(schedule, first, now, limit)

    assert due == list(takewhile(lambda at: at <= now, schedule.after(first - 1)))[-limit:]


def test_the_longest_span_and_the_last_year_can_be_meant() -> None:
    assert next(parse_schedule("every 3660d", "UTC", 0.0).after(0.0)) == 3660 * 86_400
    with pytest.raises(ScheduleError, match="3660 days are the most"):
        parse_schedule("every 3661d", "UTC", 0.0)

    assert next(parse_schedule("at 2999-12-31T23:59:59Z", "UTC", 0.0).after(0.0)) == 32_503_679_999
    with pytest.raises(ScheduleError, match="the years are 1970 to 2999"):
        parse_schedule("at 3000-01-01T00:00:00Z", "UTC", 0.0)


@pytest.mark.parametrize("text", ["every 60s", "* * * * *", "every 1h", "in 1s"])
def test_what_fires_just_as_often_as_it_may_is_taken(text: str) -> None:
    parse_schedule(text, "UTC", NEW_YEAR, min_seconds=60)


def test_a_moment_that_is_now_is_over() -> None:
    assert list(Once(5.0).after(4.9)) == [5.0]
    assert list(Once(5.0).after(5.0)) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("every 0m", "names no time"),
        ("at 2025-01-01T09:00:00Z", "never fires"),
        ("at 2026-02-01T09:00:00", "names no zone"),
        ("at tomorrow", "is no time"),
        ("now and then", "A schedule is five cron fields"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, words: str) -> None:
    with pytest.raises(ScheduleError, match=words):
        parse_schedule(text, "UTC", NEW_YEAR)


def test_a_schedule_that_fires_once_in_many_years_is_taken() -> None:
    assert times("0 0 29 2 *", "2096-03-01T00:00:00Z", 1) == ["2104-02-29T00:00:00"]


def test_nothing_is_due_before_the_first_time() -> None:
    schedule = parse_schedule("every 10s", "UTC", 0.0)

    assert due_times(schedule, 10.0, 9.9, 5) == []
    assert due_times(schedule, 10.0, 10.0, 5) == [10.0]
    assert due_times(schedule, 10.0, 45.0, 2) == [30.0, 40.0]
