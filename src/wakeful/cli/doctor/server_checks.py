"""Checks that ask the running server, or one that runs only for them."""

import sqlite3
from collections.abc import Mapping
from typing import Any

from wakeful.cli.client import Client, RequestRefused
from wakeful.cli.doctor.result import CheckResult
from wakeful.cli.plain_text import clock_time, one_line, seconds_since
from wakeful.config.config import Config
from wakeful.gateway.messaging.settings import DoorSettings, Strangers

# A schedule is a little late under load; after so long something is wrong.
_LATE_SECONDS = 120.0

Data = Mapping[str, Any]


async def check_database(config: Config, client: Client) -> CheckResult:
    try:
        health = await client.get("/health")
    except RequestRefused:
        return CheckResult.fail("database", "The server runs, but it stops just now or its database does not answer.")
    kind = "PostgreSQL" if config.database_url else f"SQLite {sqlite3.sqlite_version}, {config.database_file}"
    if health["disk"]["full"]:
        return CheckResult.fail("database", "The disk is full, or nearly so: free some room.")
    return CheckResult.ok("database", f"{kind}, used by Wakeful {health['version']}")


async def check_people(config: Config, client: Client) -> CheckResult:
    pairings: list[Data] = (await client.get("/api/pairings"))["pairings"]
    for name, door in config.messaging.doors.items():
        paired = [pairing for pairing in pairings if pairing["platform"] == name and pairing["paired"]]
        if not paired and _lets_nobody_in(door):
            return CheckResult.warn("people", f"No one may talk on {name}: set WAKEFUL_{name.upper()}_ALLOW.")
    waiting = sum(not pairing["paired"] for pairing in pairings)
    if waiting:
        return CheckResult.warn("people", f"{waiting} wait to be let in: wakeful pair lists them.")
    return CheckResult.ok("people", f"{len(pairings)} paired")


async def check_doors(config: Config, client: Client) -> CheckResult:
    """Whether the running server is connected: a platform may answer this command, and not the server."""
    doors: list[Data] = (await client.get("/api/platforms"))["platforms"]
    for door in doors:
        if door["state"] != "connected":
            why = f": {one_line(door['error'])}" if door["error"] else ""
            return CheckResult.warn(
                "doors", f"{door['name']} is {door['state']} since {clock_time(door['since'])}{why}"
            )
    return CheckResult.ok("doors", ", ".join(f"{door['name']} is connected" for door in doors))


async def check_outbox(config: Config, client: Client) -> CheckResult:
    refused: list[Data] = (await client.get("/api/outbox", state="refused"))["posts"]
    if not refused:
        return CheckResult.ok("outbox", "no post was refused")
    newest = refused[0]
    why = one_line(newest["error"]) or "no reason was given"
    return CheckResult.warn("outbox", f"{len(refused)} posts were refused, the newest to {newest['platform']}: {why}")


async def check_cron(config: Config, client: Client, *, is_served: bool) -> CheckResult:
    try:
        jobs: list[Data] = (await client.get("/api/cron"))["jobs"]
    except RequestRefused as error:
        if error.status != 404:
            raise
        return CheckResult.warn(
            "cron", "The running server knows no schedules: restart it, it is older than this command."
        )
    active = [job for job in jobs if job["status"] == "active"]
    if active and not is_served:
        return CheckResult.warn("cron", f"{len(active)} schedules wait for a server: run wakeful serve.")
    for job in active:
        if seconds_since(job["next_at"]) > _LATE_SECONDS:
            return CheckResult.fail(
                "cron", f"{_name(job)} should have run at {clock_time(job['next_at'])}: restart the server."
            )
    failed = [job for job in jobs if job["last_status"] == "failed"]
    if failed:
        return CheckResult.warn(
            "cron", f"The last run of {_name(failed[0])} failed: wakeful cron runs {failed[0]['id']}."
        )
    return CheckResult.ok("cron", f"{len(active)} active")


def _lets_nobody_in(door: DoorSettings) -> bool:
    return not door.allow and door.strangers is Strangers.SILENT


def _name(job: Data) -> str:
    return one_line(job["name"]) or str(job["id"])
