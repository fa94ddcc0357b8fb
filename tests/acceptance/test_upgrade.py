"""A database that an older Wakeful has left behind in the middle of its work."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import wakeful.store
from tests.acceptance.command import Command, turn_statuses, until
from wakeful.store.migrations import migrations_in

_MIGRATIONS = migrations_in(Path(wakeful.store.__file__).parent / "sqlite" / "migrations")

# The last schema of a version that did so.
_WORDS_ARE_EVENTS = 10

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


# A response in a conversation with a key of its own, and a chat completion, both killed before they were answered.
_ROWS_OF_THE_API = """
    INSERT INTO sessions (id, owner, platform, chat_id, thread_id, model, workspace, active, created_at, updated_at)
    VALUES ('ses_3', 'alice', 'api_server', '', '', 'demo:wakeful', '', 'turn_3', 10, 10),
           ('ses_4', 'alice', 'api_server', '', '', 'demo:wakeful', '', 'turn_4', 10, 10);

    INSERT INTO turns (id, session_id, parent, door, async_delivery, platform, chat_id, thread_id, source, is_wakeup,
                       model, status, node, epoch, last_seq, recorded_seq, workspace, opened_at, request)
    VALUES ('turn_3', 'ses_3', NULL, 'api_server', FALSE, 'api_server', '', '', 'user', FALSE,
            'demo:wakeful', 'running', 'node1', 1, 0, 0, '', 21, '{"kind": "response"}'),
           ('turn_4', 'ses_4', NULL, 'api_server', FALSE, 'api_server', '', '', 'user', FALSE,
            'demo:wakeful', 'running', 'node1', 1, 0, 0, '', 22, '{"kind": "chat"}');

    INSERT INTO journal (turn_id, step, idx, kind, payload)
    VALUES ('turn_3', 0, 0, 'input', '{"text": "count to 3", "source": "user", "message_id": ""}'),
           ('turn_4', 0, 0, 'input', '{"text": "count to 3", "source": "user", "message_id": ""}');

    INSERT INTO conversations (id, owner, name, session_id, metadata, created_at)
    VALUES ('conv_1', 'alice', 'plans', 'ses_3', '{}', 20);

    INSERT INTO idempotency_keys (owner, key, fingerprint, turn_id, created_at)
    VALUES ('alice', 'k', 'body', 'turn_3', 20);
"""


# A response that is done and one that was killed while it answered, of the last version that wrote words as events.
_ROWS_WITH_WORDS = """
    INSERT INTO sessions (id, owner, platform, chat_id, thread_id, model, workspace, active, last_seq, created_at,
                          updated_at)
    VALUES ('ses_5', 'alice', 'api_server', '', '', 'demo:wakeful', '', NULL, 6, 10, 10),
           ('ses_6', 'alice', 'api_server', '', '', 'demo:wakeful', '', 'turn_6', 4, 10, 10);

    INSERT INTO turns (id, session_id, parent, door, async_delivery, platform, chat_id, thread_id, source, is_wakeup,
                       model, status, node, epoch, last_seq, recorded_seq, workspace, opened_at, request)
    VALUES ('turn_5', 'ses_5', NULL, 'api_server', FALSE, 'api_server', '', '', 'user', FALSE,
            'demo:wakeful', 'done', 'node1', 1, 6, 6, '', 21, '{"kind": "response"}'),
           ('turn_6', 'ses_6', NULL, 'api_server', FALSE, 'api_server', '', '', 'user', FALSE,
            'demo:wakeful', 'running', 'node1', 1, 4, 2, '', 22, '{"kind": "response"}');

    INSERT INTO journal (turn_id, step, idx, kind, payload)
    VALUES ('turn_5', 0, 0, 'input', '{"text": "Hi", "source": "user", "message_id": ""}'),
           ('turn_5', 1, 0, 'answer', '{"text": "Hello", "reasoning": "", "usage": {}, "calls": []}'),
           ('turn_6', 0, 0, 'input', '{"text": "count to 3", "source": "user", "message_id": ""}');

    INSERT INTO events (session_id, session_seq, turn_id, turn_seq, kind, payload, at)
    VALUES ('ses_5', 1, 'turn_5', 1, 'turn_started', '{}', 30),
           ('ses_5', 2, 'turn_5', 2, 'message', '{}', 30),
           ('ses_5', 3, 'turn_5', 3, 'token', '{"step": 1, "text": "Hel"}', 30),
           ('ses_5', 4, 'turn_5', 4, 'token', '{"step": 1, "text": "lo"}', 30),
           ('ses_5', 5, 'turn_5', 5, 'usage', '{"step": 1, "usage": {}}', 30),
           ('ses_5', 6, 'turn_5', 6, 'done', '{}', 30),
           ('ses_6', 1, 'turn_6', 1, 'turn_started', '{}', 30),
           ('ses_6', 2, 'turn_6', 2, 'message', '{}', 30),
           ('ses_6', 3, 'turn_6', 3, 'token', '{"step": 1, "text": "1 "}', 30),
           ('ses_6', 4, 'turn_6', 4, 'token', '{"step": 1, "text": "2"}', 30);

    UPDATE events SET payload = CAST(payload AS BLOB);
"""


async def test_running_turns_of_the_version_before_the_api_go_on(wakeful: Command) -> None:
    _leave_behind(wakeful.home, 2, _ROWS)

    async with wakeful.serving():
        await until(lambda: asyncio.to_thread(_are, wakeful.home, ["done", "done"]))

    answers = _answers(wakeful.home)
    assert "The tool answered" in answers["turn_1"]
    assert "1 2 3" in answers["turn_2"]


async def test_running_turns_of_the_version_before_go_on(wakeful: Command) -> None:
    _leave_behind(wakeful.home, len(_MIGRATIONS) - 1, _ROWS + _ROWS_OF_THE_API)

    async with wakeful.serving():
        await until(lambda: asyncio.to_thread(_are, wakeful.home, ["done", "done", "done", "cancelled"]))

    answers = _answers(wakeful.home)
    assert answers.keys() == {"turn_1", "turn_2", "turn_3"}
    assert "1 2 3" in answers["turn_3"]
    with closing(sqlite3.connect(wakeful.home / "wakeful.db")) as connection:
        assert connection.execute("SELECT turn_id FROM idempotency_keys").fetchall() == [("turn_3",)]


async def test_words_of_the_version_that_wrote_them_as_events_move_while_the_server_runs(wakeful: Command) -> None:
    _leave_behind(wakeful.home, _WORDS_ARE_EVENTS, _ROWS_WITH_WORDS)

    async with wakeful.serving():
        await until(lambda: asyncio.to_thread(_are, wakeful.home, ["done", "done"]))
        await until(lambda: asyncio.to_thread(lambda: _kinds(wakeful.home, "turn_5").count("token") == 0))

    assert _kinds(wakeful.home, "turn_5") == ["turn_started", "message", "usage", "done"]
    begun = ["turn_started", "message", "token", "token", "step_abandoned"]
    assert _kinds(wakeful.home, "turn_6") == [*begun, "usage", "done"]
    assert "1 2 3" in _answers(wakeful.home)["turn_6"]


def _leave_behind(home: Path, version: int, rows: str) -> None:
    """A database of this version, with these rows."""
    home.mkdir()
    with closing(sqlite3.connect(home / "wakeful.db")) as connection:
        for migration in _MIGRATIONS[:version]:
            connection.executescript(migration.sql)
        # Payloads are bytes, which would be hard to read above.
        bytes_ = "UPDATE journal SET payload = CAST(payload AS BLOB);"
        connection.executescript(f"{rows} {bytes_} PRAGMA user_version = {version}")


def _are(home: Path, statuses: list[str]) -> bool:
    return turn_statuses(home) == statuses


def _kinds(home: Path, turn_id: str) -> list[str]:
    with closing(sqlite3.connect(home / "wakeful.db")) as connection:
        kinds = connection.execute("SELECT kind FROM events WHERE turn_id = ? ORDER BY turn_seq", (turn_id,))
        return [kind for (kind,) in kinds]


def _answers(home: Path) -> dict[str, str]:
    """The last answer of each turn."""
    with closing(sqlite3.connect(home / "wakeful.db")) as connection:
        answers = "SELECT turn_id, CAST(payload AS TEXT) FROM journal WHERE kind = 'answer' ORDER BY step"
        return dict(connection.execute(answers).fetchall())
