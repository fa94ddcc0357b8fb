"""Chats on messaging platforms in PostgreSQL."""

from wakeful.model.messaging.chat import Chat
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.messaging import CHAT, chat_from, chat_values

_PUT = f"""{insertion("chats", CHAT)} ON CONFLICT (key) DO UPDATE SET
    session_id = excluded.session_id, name = excluded.name, last_message_id = excluded.last_message_id,
    last_at = excluded.last_at"""


class PostgresChats:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def get(self, key: str) -> Chat | None:
        return await self._find("key = $1", key)

    async def put(self, chat: Chat) -> None:
        await self._connection.execute(_PUT, *chat_values(chat))

    async def put_if_at(self, chat: Chat, session_id: str) -> bool:
        # Waits for another transaction that writes the same chat, and sees what it has committed.
        guard = f"WHERE chats.session_id = ${len(CHAT) + 1} RETURNING TRUE"
        return await self._connection.fetchval(f"{_PUT} {guard}", *chat_values(chat), session_id) is not None

    async def of_platform(self, platform: str, since: float) -> list[Chat]:
        rows = await self._connection.fetch(
            "SELECT * FROM chats WHERE platform = $1 AND last_at >= $2 ORDER BY key", platform, since
        )
        return [chat_from(row) for row in rows]

    async def at(self, platform: str, chat_id: str, thread_id: str | None) -> Chat | None:
        row = await self._connection.fetchrow(
            """SELECT * FROM chats WHERE platform = $1 AND chat_id = $2 AND thread_id = coalesce($3, thread_id)
               ORDER BY last_at DESC, key LIMIT 1""",
            platform,
            chat_id,
            thread_id,
        )
        return None if row is None else chat_from(row)

    async def of_session(self, session_id: str) -> Chat | None:
        return await self._find("session_id = $1", session_id)

    async def move(self, platform: str, old_chat_id: str, new_chat_id: str) -> None:
        old, new = f"{platform}:%s:{old_chat_id}", f"{platform}:%s:{new_chat_id}"
        # A message may have begun the new chat before its group was said to have moved: the old session goes on.
        await self._connection.execute(
            """DELETE FROM chats WHERE key IN (
                   SELECT format($4, kind) || substr(key, length(format($3, kind)) + 1) FROM chats
                   WHERE platform = $1 AND chat_id = $2
               )""",
            platform,
            old_chat_id,
            old,
            new,
        )
        await self._connection.execute(
            """UPDATE chats SET chat_id = $5, key = format($4, kind) || substr(key, length(format($3, kind)) + 1)
               WHERE platform = $1 AND chat_id = $2""",
            platform,
            old_chat_id,
            old,
            new,
            new_chat_id,
        )

    async def take(self, platform: str, chat_id: str, message_id: str, now: float) -> bool:
        taken = await self._connection.fetchval(
            "INSERT INTO taken_messages VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING TRUE",
            platform,
            chat_id,
            message_id,
            now,
        )
        return taken is not None

    async def was_taken(self, platform: str, chat_id: str, message_id: str) -> bool:
        taken = await self._connection.fetchval(
            "SELECT TRUE FROM taken_messages WHERE platform = $1 AND chat_id = $2 AND message_id = $3",
            platform,
            chat_id,
            message_id,
        )
        return taken is not None

    async def last_taken(self, platform: str, chat_id: str) -> float | None:
        at: float | None = await self._connection.fetchval(
            "SELECT max(at) FROM taken_messages WHERE platform = $1 AND chat_id = $2", platform, chat_id
        )
        return at

    async def drop_taken(self, before: float, limit: int) -> int:
        dropped: int = await self._connection.fetchval(
            """WITH dropped AS (
                   DELETE FROM taken_messages WHERE (platform, chat_id, message_id) IN (
                       SELECT platform, chat_id, message_id FROM taken_messages WHERE at < $1 LIMIT $2
                   ) RETURNING 1
               )
               SELECT count(*) FROM dropped""",
            before,
            limit,
        )
        return dropped

    async def _find(self, condition: str, value: str) -> Chat | None:
        row = await self._connection.fetchrow(f"SELECT * FROM chats WHERE {condition} LIMIT 1", value)
        return None if row is None else chat_from(row)
