"""Chats on messaging platforms in SQLite."""

import sqlite3

from wakeful.model.messaging.chat import Chat, group_prefix
from wakeful.model.session import Address
from wakeful.store.rows.messaging import CHAT, chat_from, chat_values
from wakeful.store.sqlite.statement import insertion

_PUT = f"""{insertion("chats", CHAT)} ON CONFLICT (key) DO UPDATE SET
    session_id = excluded.session_id, name = excluded.name, thread_id = excluded.thread_id,
    last_message_id = excluded.last_message_id, last_at = excluded.last_at"""
# The key of a chat whose threads share its session has none in it; nor has that of what is written in no thread.
_OF_PLATFORM = """
    SELECT * FROM chats WHERE platform = ?1 AND last_at >= ?2
    UNION ALL
    SELECT c.key, c.platform, c.kind, c.chat_id, t.thread_id, c.session_id, c.name, t.message_id, max(t.at)
    FROM chats c JOIN taken_messages t ON t.platform = c.platform AND t.chat_id = c.chat_id
    WHERE c.platform = ?1 AND c.key = c.platform || ':' || c.kind || ':' || c.chat_id AND t.thread_id <> c.thread_id
      AND NOT EXISTS (SELECT 1 FROM chats WHERE key = c.key || ':' || t.thread_id)
    GROUP BY c.key, t.thread_id HAVING max(t.at) >= ?2
    ORDER BY key, thread_id"""

_MOVE = (
    # A message may have begun the new chat before its group was said to have moved: the old session goes on.
    """UPDATE OR REPLACE chats SET chat_id = :new, key = :is || substr(key, length(:was) + 1)
       WHERE platform = :platform AND chat_id = :old""",
    # Sessions of sub-agents have no key.
    """UPDATE sessions SET chat_id = :new,
           chat_key = CASE chat_key WHEN '' THEN '' ELSE :is || substr(chat_key, length(:was) + 1) END
       WHERE platform = :platform AND platform IN ('telegram', 'discord', 'slack') AND chat_id = :old""",
    # The message that a post replies to has another id there.
    """UPDATE posts SET chat_id = :new, sender = x''
       WHERE platform = :platform AND chat_id = :old AND state = 'waiting'""",
    "UPDATE cron_jobs SET chat_id = :new WHERE platform = :platform AND chat_id = :old",
)


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
        return [chat_from(row) for row in self._connection.execute(_OF_PLATFORM, (platform, since))]

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
        values = {"platform": platform, "old": old_chat_id, "new": new_chat_id}
        prefixes = {"was": group_prefix(platform, old_chat_id), "is": group_prefix(platform, new_chat_id)}
        for statement in _MOVE:
            self._connection.execute(statement, values | prefixes)

    async def take(self, address: Address, now: float) -> bool:
        cursor = self._connection.execute(
            """INSERT INTO taken_messages (platform, chat_id, message_id, thread_id, at) VALUES (?, ?, ?, ?, ?)
               ON CONFLICT DO NOTHING""",
            (address.platform, address.chat_id, address.sender.message_id, address.thread_id, now),
        )
        return cursor.rowcount == 1

    async def was_taken(self, address: Address) -> bool:
        row = self._connection.execute(
            "SELECT 1 FROM taken_messages WHERE platform = ? AND chat_id = ? AND message_id = ?",
            (address.platform, address.chat_id, address.sender.message_id),
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
