"""Chats on messaging platforms in SQLite."""

import sqlite3

from wakeful.model.messaging.chat import Chat
from wakeful.store.rows.messaging import CHAT, chat_from, chat_values
from wakeful.store.sqlite.statement import insertion

_PUT = f"""{insertion("chats", CHAT)} ON CONFLICT (key) DO UPDATE SET
    session_id = excluded.session_id, name = excluded.name, last_message_id = excluded.last_message_id,
    last_at = excluded.last_at"""


class SqliteChats:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def get(self, key: str) -> Chat | None:
        return self._find("key = ?", key)

    async def put(self, chat: Chat) -> None:
        self._connection.execute(_PUT, chat_values(chat))

    async def put_if_at(self, chat: Chat, session_id: str) -> bool:
        cursor = self._connection.execute(f"{_PUT} WHERE chats.session_id = ?", (*chat_values(chat), session_id))
        return cursor.rowcount == 1

    async def of_platform(self, platform: str, since: float) -> list[Chat]:
        rows = self._connection.execute(
            "SELECT * FROM chats WHERE platform = ? AND last_at >= ? ORDER BY key", (platform, since)
        )
        return [chat_from(row) for row in rows]

    async def at(self, platform: str, chat_id: str, thread_id: str | None) -> Chat | None:
        row = self._connection.execute(
            """SELECT * FROM chats WHERE platform = ?1 AND chat_id = ?2 AND thread_id = coalesce(?3, thread_id)
               ORDER BY last_at DESC, key LIMIT 1""",
            (platform, chat_id, thread_id),
        ).fetchone()
        return None if row is None else chat_from(row)

    async def of_session(self, session_id: str) -> Chat | None:
        return self._find("session_id = ?", session_id)

    async def move(self, platform: str, old_chat_id: str, new_chat_id: str) -> None:
        self._connection.execute(
            """UPDATE OR REPLACE chats SET chat_id = ?3,
                   key = ?1 || ':' || kind || ':' || ?3 || substr(key, length(?1 || ':' || kind || ':' || ?2) + 1)
               WHERE platform = ?1 AND chat_id = ?2""",
            (platform, old_chat_id, new_chat_id),
        )

    async def take(self, platform: str, chat_id: str, message_id: str, now: float) -> bool:
        cursor = self._connection.execute(
            "INSERT INTO taken_messages VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (platform, chat_id, message_id, now),
        )
        return cursor.rowcount == 1

    async def was_taken(self, platform: str, chat_id: str, message_id: str) -> bool:
        row = self._connection.execute(
            "SELECT 1 FROM taken_messages WHERE platform = ? AND chat_id = ? AND message_id = ?",
            (platform, chat_id, message_id),
        ).fetchone()
        return row is not None

    async def last_taken(self, platform: str, chat_id: str) -> float | None:
        row = self._connection.execute(
            "SELECT max(at) AS at FROM taken_messages WHERE platform = ? AND chat_id = ?", (platform, chat_id)
        ).fetchone()
        at: float | None = row["at"]
        return at

    async def drop_taken(self, before: float, limit: int) -> int:
        cursor = self._connection.execute(
            """DELETE FROM taken_messages WHERE (platform, chat_id, message_id) IN (
                   SELECT platform, chat_id, message_id FROM taken_messages WHERE at < ? LIMIT ?
               )""",
            (before, limit),
        )
        return cursor.rowcount

    def _find(self, condition: str, value: str) -> Chat | None:
        row = self._connection.execute(f"SELECT * FROM chats WHERE {condition} LIMIT 1", (value,)).fetchone()
        return None if row is None else chat_from(row)
