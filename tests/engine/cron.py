"""Schedules on a node of a test: a desk whose scheduler runs under the node's supervisor."""

from typing import Any

from tests.engine.kit import House, Node
from wakeful.engine.schedules.desk import ScheduleDesk
from wakeful.engine.schedules.settings import ScheduleSettings
from wakeful.errors import ConfigError
from wakeful.model.messaging.chat import SessionScope
from wakeful.model.schedules.cron_job import CronJob, CronRun, JobFields

SETTINGS = ScheduleSettings(
    operator="operator",
    model="demo:led",
    workspace="/",
    timezone="UTC",
    catch_up_seconds=3600.0,
    min_seconds=60.0,
    platforms={"telegram": SessionScope.THREAD, "slack": SessionScope.CHAT},
)


def check_model(name: str) -> None:
    if not name.startswith("demo:"):
        raise ConfigError(f"There is no model {name}.")


def schedules_on(node: Node, settings: ScheduleSettings = SETTINGS) -> ScheduleDesk:
    desk = ScheduleDesk(node.processes.ledger, settings, check_model)
    node.engine.supervisor.start(desk.job)
    return desk


async def add(desk: ScheduleDesk, schedule: str, **fields: Any) -> CronJob:
    given: JobFields = {"schedule": schedule, "prompt": "Say hello.", **fields}  # type: ignore[typeddict-item]
    return (await desk.add("operator", given)).job


async def runs_of(house: House, job: CronJob) -> list[CronRun]:
    """Return the runs of a job, the oldest first."""
    return (await house.store.read(lambda tx: tx.cron_jobs.runs(job.id, 10_000)))[::-1]


async def job_now(house: House, job: CronJob) -> CronJob:
    found = await house.store.read(lambda tx: tx.cron_jobs.get(job.id))
    assert found is not None
    return found


async def pass_time(house: House, seconds: float) -> None:
    await house.settle()
    await house.advance(seconds)
    await house.settle()


async def finish_run(house: House, node: Node, run: CronRun, order: str = "finish") -> None:
    node.agent.order(run.turn_id, order)
    await house.settle()
