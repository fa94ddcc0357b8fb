"""Cron jobs and their runs in the form that clients send and get."""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from wakeful.model.schedules.cron_job import JobFields, JobStatus, RunStatus
from wakeful.web.fields import MessageText
from wakeful.wire.declared import Incoming, Outgoing, says, words

_NO_NUL = "^[^\\u0000]*$"
_YEAR = 365 * 86_400

_ScheduleText: TypeAlias = Annotated[
    str,
    Meta(min_length=1, max_length=200, pattern=_NO_NUL),
    words("Five cron fields (six: seconds first), `@daily` and the like, `every 10m`, `in 2h` or `at <RFC 3339>`."),
]
_Target: TypeAlias = Annotated[
    str,
    Meta(max_length=300, pattern=_NO_NUL),
    words("`<platform>:<chat>` or `<platform>:<chat>:<thread>`, where its answers go; empty: a session of its own."),
]
_Zone: TypeAlias = Annotated[
    str, Meta(max_length=100, pattern=_NO_NUL), words("Such as `Europe/Berlin`; empty: the server's.")
]
_Name: TypeAlias = Annotated[
    str,
    Meta(max_length=100, extra_json_schema={"pattern": _NO_NUL}),
    says("{} must be a printable text of at most 100 characters.", check=str.isprintable),
    words("May be used instead of the id; unique for its owner."),
]
_Model: TypeAlias = Annotated[
    str, Meta(max_length=200, pattern=_NO_NUL), words("Empty: that of the chat or the server.")
]
_Seconds: TypeAlias = Annotated[
    float, Meta(ge=0, le=_YEAR), words("How old a missed firing may be and still be made up for.")
]


class NewJob(Incoming):
    schedule: _ScheduleText
    prompt: MessageText
    deliver: _Target | None = None
    timezone: _Zone | None = None
    name: _Name | None = None
    model: _Model | None = None
    fresh: Annotated[bool | None, words("Whether each firing begins a new session.")] = None
    catch_up_seconds: _Seconds | None = None


class ChangedJob(Incoming):
    schedule: _ScheduleText | None = None
    prompt: MessageText | None = None
    deliver: _Target | None = None
    timezone: _Zone | None = None
    name: _Name | None = None
    model: _Model | None = None
    fresh: bool | None = None
    catch_up_seconds: _Seconds | None = None
    paused: Annotated[bool | None, words("A job that is resumed goes on from now.")] = None


class ShownRun(Outgoing):
    fire_at: str
    started_at: Annotated[str | None, words("When its turn began.")]
    late_seconds: Annotated[float | None, Meta(ge=0)]
    manual: bool
    session_id: str | None
    turn_id: str | None
    status: RunStatus
    reason: Annotated[str | None, words("`missed`, `still_running`, or why it failed.")]


class ShownJob(Outgoing):
    id: str
    name: str
    schedule: str
    timezone: str
    prompt: str
    deliver: str | None
    model: str
    fresh: bool
    status: JobStatus
    next_at: Annotated[str | None, words("Null while it is paused or done.")]
    last_at: Annotated[str | None, words("The last time of its schedule that has passed, whatever became of it.")]
    last_status: RunStatus | None
    catch_up_seconds: float
    last_run: Annotated[
        ShownRun | UnsetType | None, words("Its newest run, fired by the schedule or by hand; only if asked for.")
    ] = UNSET


def fields_of(given: NewJob | ChangedJob) -> JobFields:
    fields: JobFields = {name: value for name in given.__struct_fields__ if (value := getattr(given, name)) is not None}  # type: ignore[assignment]
    return fields
