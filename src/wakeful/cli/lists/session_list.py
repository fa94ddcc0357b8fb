"""The lists of sessions that the commands print."""

from typing import Any

from wakeful.cli.client import Client, RequestRefused
from wakeful.cli.lists.job_words import jobs
from wakeful.cli.lists.short_id import only_one, short_id
from wakeful.cli.plain_text import clock_time, one_line
from wakeful.errors import SessionNotFound

# The server's largest page.
_PAGE = 200
# How many of the newest sessions are searched for a part of an id.
_MOST = 10_000
_TITLE_LENGTH = 60


async def recent_sessions(client: Client, limit: int) -> list[dict[str, Any]]:
    """Return up to `limit` sessions, newest first."""
    found: list[dict[str, Any]] = []
    cursor = ""
    while len(found) < limit:
        page = await client.get("/api/sessions", limit=min(_PAGE, limit - len(found)), cursor=cursor)
        found += page["sessions"]
        cursor = page["next_cursor"] or ""
        if not cursor:
            break
    return found


async def find_session(client: Client, name: str) -> str:
    """Return the id of the session that `name` stands for: a whole id, or a unique beginning or end of one."""
    try:
        found: str = (await client.get("/api/session", session_id=name, limit=1))["session"]["session_id"]
    except RequestRefused as refused:
        if refused.status not in (400, 404):
            raise
    else:
        return found
    known = [session["session_id"] for session in await recent_sessions(client, _MOST)]
    return only_one(name, known, SessionNotFound, "session")


def session_lines(sessions: list[dict[str, Any]]) -> list[str]:
    times = _times(sessions)
    return [
        f"{short_id(session['session_id'])}  {time}  {_title(session)}{_mark(session)}"
        for session, time in zip(sessions, times, strict=True)
    ]


def numbered_lines(sessions: list[dict[str, Any]]) -> list[str]:
    """Return lines to choose from by number. The title comes before the id: users know a session by its title."""
    return [
        f"{number:>2}  {time}  {_title(session)}{_mark(session)}  {short_id(session['session_id'])}"
        for number, (session, time) in enumerate(zip(sessions, _times(sessions), strict=True), start=1)
    ]


def _times(sessions: list[dict[str, Any]]) -> list[str]:
    times = [clock_time(session["updated_at"]) for session in sessions]
    width = max(map(len, times), default=0)
    return [time.rjust(width) for time in times]


def _title(session: dict[str, Any]) -> str:
    title = one_line(session["title"] or "") or "(nothing said yet)"
    return title if len(title) <= _TITLE_LENGTH else f"{title[: _TITLE_LENGTH - 1]}…"


def _mark(session: dict[str, Any]) -> str:
    """Return the most important mark, as the page does."""
    running = ["answering"] if session["active_turn_id"] else []
    if count := session["running_tasks"]:
        running.append(f"{jobs(count)} running")
    if session["needs_you"]:
        mark = "needs you"
    elif session["unread"] and session["last_status"] == "failed":
        mark = "failed"
    else:
        mark = ", ".join(running) or ("unread" if session["unread"] else "")
    return f"  [{mark}]" if mark else ""
