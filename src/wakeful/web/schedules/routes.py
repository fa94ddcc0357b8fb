"""Routes that make, list, change and run cron jobs."""

from typing import Annotated

from msgspec import UNSET
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.schedules.desk import ScheduleDesk
from wakeful.model.schedules.cron_job import CronRun, ListedJob
from wakeful.model.schedules.job_data import job_data, run_data
from wakeful.model.schedules.schedule import ScheduleError
from wakeful.model.tasks.task_data import time_text
from wakeful.web.fields import Id, clamped, read_body, read_query
from wakeful.web.schedules.job import ChangedJob, NewJob, ShownJob, ShownRun, fields_of
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.declared import Incoming, Outgoing, Switch, words
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read


class JobsQuery(Incoming):
    last_runs: Annotated[Switch, words("Give each job its newest run as `last_run`.")] = False


class JobList(Outgoing):
    jobs: list[ShownJob]


class RunList(Outgoing):
    runs: list[ShownRun]


class FiringTimes(Outgoing):
    times: Annotated[list[str], words("RFC 3339, in UTC.")]


class RunsQuery(Incoming):
    limit: Annotated[int, clamped(1, 1000), words("1 to 1000; 100 by default.")] = 100


class NextQuery(Incoming, rename={"since": "from"}):
    schedule: str
    timezone: Annotated[str, words("The server's by default.")] = ""
    since: Annotated[str, words("An RFC 3339 time; now by default.")] = ""
    count: Annotated[int, clamped(1, 1000), words("1 to 1000; 5 by default.")] = 5


class _JobPath(Incoming):
    id: Id


class _JobConvertor(StringConvertor):
    """Any id or name but that of the route which lists times."""

    regex = "(?!next$)[^/]+"


register_url_convertor("job", _JobConvertor())


class CronRoutes:
    def __init__(self, desk: ScheduleDesk) -> None:
        self._desk = desk

    def routes(self) -> list[Route]:
        return [
            Route("/api/cron", self.page, methods=["GET"]),
            Route("/api/cron", self.add, methods=["POST"]),
            Route("/api/cron/next", self.next_times, methods=["GET"]),
            Route("/api/cron/{id:job}", self.change, methods=["PATCH"]),
            Route("/api/cron/{id:job}", self.remove, methods=["DELETE"]),
            Route("/api/cron/{id:job}/run", self.run, methods=["POST"]),
            Route("/api/cron/{id:job}/runs", self.runs, methods=["GET"]),
        ]

    async def page(self, request: Request) -> Response:
        has_runs = read_query(request, JobsQuery).last_runs
        jobs = await self._desk.all(request.state.principal)
        return JsonAnswer(JobList(jobs=[_shown(job, has_run=has_runs) for job in jobs]))

    async def add(self, request: Request) -> Response:
        given = await read_body(request, NewJob)
        try:
            job = await self._desk.add(request.state.principal, fields_of(given))
        except ScheduleError as error:
            raise _refusal(error) from error
        return JsonAnswer(_shown(job), 201)

    async def change(self, request: Request) -> Response:
        given = await read_body(request, ChangedJob)
        try:
            job = await self._desk.change(request.state.principal, _id_in(request), fields_of(given))
        except ScheduleError as error:
            raise _refusal(error) from error
        return JsonAnswer(_shown(job))

    async def remove(self, request: Request) -> Response:
        await self._desk.remove(request.state.principal, _id_in(request))
        return JsonAnswer(Ok())

    async def run(self, request: Request) -> Response:
        run = await self._desk.run_now(request.state.principal, _id_in(request))
        return JsonAnswer(_shown_run(run))

    async def runs(self, request: Request) -> Response:
        limit = read_query(request, RunsQuery).limit
        runs = await self._desk.runs(request.state.principal, _id_in(request), limit)
        return JsonAnswer(RunList(runs=[_shown_run(run) for run in runs]))

    async def next_times(self, request: Request) -> Response:
        asked = read_query(request, NextQuery)
        try:
            times = await self._desk.next_times(asked.schedule, asked.timezone, asked.since, asked.count)
        except ScheduleError as error:
            raise _refusal(error) from error
        return JsonAnswer(FiringTimes(times=[time_text(at) for at in times]))


def _shown(listed: ListedJob, *, has_run: bool = False) -> ShownJob:
    last = None if listed.last_run is None else _shown_run(listed.last_run)
    return ShownJob(**job_data(listed), last_run=last if has_run else UNSET)


def _shown_run(run: CronRun) -> ShownRun:
    return ShownRun(**run_data(run))


def _id_in(request: Request) -> str:
    return read(_JobPath, request.path_params).id


def _refusal(error: ScheduleError) -> InvalidRequest:
    return InvalidRequest(f"{error.field}: {error}", param=error.field)
