"""Chats on messaging platforms in PostgreSQL."""

from wakeful.model.messaging.chat import Chat, group_prefix
from wakeful.model.session import Address
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.messaging import CHAT, chat_from, chat_values

_PUT = f"""{insertion("chats", CHAT)} ON CONFLICT (key) DO UPDATE SET
    session_id = excluded.session_id, name = excluded.name, thread_id = excluded.thread_id,
    last_message_id = excluded.last_message_id, last_at = excluded.last_at"""
# The key of a chat whose threads share its session has none in it; nor has that of what is written in no thread.
_OF_PLATFORM = """
    SELECT * FROM chats WHERE platform = $1 AND last_at >= $2
    UNION ALL
    SELECT * FROM (
        SELECT DISTINCT ON (c.key, t.thread_id)
            c.key, c.platform, c.kind, c.chat_id, t.thread_id, c.session_id, c.name, t.message_id, t.at
        FROM chats c JOIN taken_messages t ON t.platform = c.platform AND t.chat_id = c.chat_id
        WHERE c.platform = $1 AND c.key = c.platform || ':' || c.kind || ':' || c.chat_id AND t.thread_id <> c.thread_id
          AND t.at >= $2 AND NOT EXISTS (SELECT 1 FROM chats WHERE key = c.key || ':' || t.thread_id)
        ORDER BY c.key, t.thread_id, t.at DESC
    ) AS threads
    ORDER BY key, thread_id"""

_MOVE_KEYS = (
    """UPDATE chats SET chat_id = $3, key = $5::text || substr(key, length($4) + 1)
       WHERE platform = $1 AND chat_id = $2""",
    # Sessions of sub-agents have no key.
    """UPDATE sessions SET chat_id = $3,
           chat_key = CASE chat_key WHEN '' THEN '' ELSE $5::text || substr(chat_key, length($4) + 1) END
       WHERE platform = $1 AND platform IN ('telegram', 'discord', 'slack') AND chat_id = $2""",
)
_MOVE_PLACES = (
    # The message that a post replies to has another id there.
    "UPDATE posts SET chat_id = $3, sender = '' WHERE platform = $1 AND chat_id = $2 AND state = 'waiting'",
    "UPDATE cron_jobs SET chat_id = $3 WHERE platform = $1 AND chat_id = $2",
)


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
        return [chat_from(row) for row in await self._connection.fetch(_OF_PLATFORM, platform, since)]

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
        old, new = group_prefix(platform, old_chat_id), group_prefix(platform, new_chat_id)
        # A message may have begun the new chat before its group was said to have moved: the old session goes on.
        await self._connection.execute(
            """DELETE FROM chats WHERE key IN (
                   SELECT $4 || substr(key, length($3) + 1) FROM chats WHERE platform = $1 AND chat_id = $2
               )""",
            platform,
            old_chat_id,
            old,
            new,
        )
        for statement in _MOVE_KEYS:
            await self._connection.execute(statement, platform, old_chat_id, new_chat_id, old, new)
        for statement in _MOVE_PLACES:
            await self._connection.execute(statement, platform, old_chat_id, new_chat_id)

    async def take(self, address: Address, now: float) -> bool:
        taken = await self._connection.fetchval(
            """INSERT INTO taken_messages (platform, chat_id, message_id, thread_id, at) VALUES ($1, $2, $3, $4, $5)
               ON CONFLICT DO NOTHING RETURNING TRUE""",
            address.platform,
            address.chat_id,
            address.sender.message_id,
            address.thread_id,
            now,
        )
        return taken is not None

    async def was_taken(self, address: Address) -> bool:
        taken = await self._connection.fetchval(
            "SELECT TRUE FROM taken_messages WHERE platform = $1 AND chat_id = $2 AND message_id = $3",
            address.platform,
            address.chat_id,
            address.sender.message_id,
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
