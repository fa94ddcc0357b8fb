"""A database that an older Wakeful has left behind in the middle of its work."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import wakeful.store
from tests.acceptance.command import Command, turn_statuses, until
from wakeful.store.migrations import migrations_in

_MIGRATIONS = migrations_in(Path(wakeful.store.__file__).parent / "sqlite" / "migrations")

# A turn that has called a tool and was killed before there was a result, and one that was killed while it answered.
_ROWS = """
    INSERT INTO sessions (id, owner, platform, chat_id, thread_id, model, workspace, head, checkpoint, active,
                          created_at, updated_at)
    VALUES ('ses_1', 'local', 'web', '', '', 'demo:wakeful', '', NULL, NULL, 'turn_1', 10, 10),
           ('ses_2', 'local', 'web', '', '', 'demo:wakeful', '', NULL, NULL, 'turn_2', 10, 10);

    INSERT INTO turns (id, session_id, parent, door, async_delivery, platform, chat_id, thread_id, source, is_wakeup,
                       model, status, node, epoch, last_seq, recorded_seq, workspace, opened_at)
    VALUES ('turn_1', 'ses_1', NULL, 'web', TRUE, 'web', '', '', 'user', FALSE,
            'demo:wakeful', 'running', 'node1', 1, 0, 0, '', 20),
           ('turn_2', 'ses_2', NULL, 'web', TRUE, 'web', '', '', 'user', FALSE,
            'demo:wakeful', 'running', 'node1', 1, 0, 0, '', 20);

    INSERT INTO journal (turn_id, step, idx, kind, payload)
    VALUES ('turn_1', 0, 0, 'input', '{"text": "list files", "source": "user", "message_id": ""}'),
           ('turn_1', 1, 0, 'answer', '{"text": "", "reasoning": "", "usage": {},
                "calls": [{"id": "c1", "name": "list_files", "arguments": "{}"}]}'),
           ('turn_2', 0, 0, 'input', '{"text": "count to 3", "source": "user", "message_id": ""}');
"""


async def test_running_turns_of_the_version_before_the_api_go_on(wakeful: Command) -> None:
    wakeful.home.mkdir()
    with closing(sqlite3.connect(wakeful.home / "wakeful.db")) as connection:
        for migration in _MIGRATIONS[:2]:
            connection.executescript(migration.sql)
        connection.executescript(f"{_ROWS} PRAGMA user_version = 2")

    async with wakeful.serving():
        await until(lambda: asyncio.to_thread(_are_done, wakeful.home))

    answers = _answers(wakeful.home)
    assert "The tool answered" in answers["turn_1"]
    assert "1 2 3" in answers["turn_2"]


def _are_done(home: Path) -> bool:
    return turn_statuses(home) == ["done", "done"]


def _answers(home: Path) -> dict[str, str]:
    """The last answer of each turn."""
    with closing(sqlite3.connect(home / "wakeful.db")) as connection:
        answers = "SELECT turn_id, CAST(payload AS TEXT) FROM journal WHERE kind = 'answer' ORDER BY step"
        return dict(connection.execute(answers).fetchall())
