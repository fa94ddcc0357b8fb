"""The list of logins that the commands print."""

from typing import Any

from wakeful.cli.client import Client
from wakeful.cli.lists.short_id import only_one
from wakeful.cli.plain_text import aligned, clock_time, one_line
from wakeful.errors import LoginNotFound

_HEADINGS = ["ID", "NAME", "SINCE", "LAST SEEN", "BROWSER", "FROM"]


async def read_logins(client: Client) -> list[dict[str, Any]]:
    """Return all logins, most recently used first."""
    logins: list[dict[str, Any]] = (await client.get("/api/logins"))["logins"]
    return logins


async def find_login(client: Client, name: str) -> str:
    """Return the id of the login that `name` stands for: a whole id, or a unique beginning or end of one."""
    return only_one(name, [login["id"] for login in await read_logins(client)], LoginNotFound, "login")


def login_lines(logins: list[dict[str, Any]]) -> list[str]:
    return aligned([_HEADINGS, *map(_row, logins)]) if logins else []


def _row(login: dict[str, Any]) -> list[str]:
    times = [clock_time(login["created_at"]), clock_time(login["used_at"])]
    return [login["id"], login["name"], *times, one_line(login["browser"]) or "unknown", login["address"]]
