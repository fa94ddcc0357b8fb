"""Conversations of the API in PostgreSQL."""

from wakeful.model.api.conversation import Conversation
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.statement import insertion
from wakeful.store.rows.api import CONVERSATION_COLUMNS, conversation_from, conversation_values


class PostgresConversations:
    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def create_if_absent(self, conversation: Conversation) -> bool:
        created = await self._connection.fetchval(
            f"{insertion('conversations', CONVERSATION_COLUMNS)} ON CONFLICT DO NOTHING RETURNING TRUE",
            *conversation_values(conversation),
        )
        return created is not None

    async def get(self, conversation_id: str) -> Conversation | None:
        return await self._find("id = $1", conversation_id)

    async def named(self, owner: str, name: str) -> Conversation | None:
        return await self._find("owner = $1 AND name = $2 AND name <> ''", owner, name)

    async def of_session(self, session_id: str) -> Conversation | None:
        return await self._find("session_id = $1", session_id)

    async def change(self, conversation_id: str, metadata: bytes) -> None:
        await self._connection.execute(
            "UPDATE conversations SET metadata = $2 WHERE id = $1", conversation_id, metadata
        )

    async def delete(self, conversation_id: str) -> None:
        await self._connection.execute("DELETE FROM conversations WHERE id = $1", conversation_id)

    async def _find(self, condition: str, *values: str) -> Conversation | None:
        row = await self._connection.fetchrow(f"SELECT * FROM conversations WHERE {condition}", *values)
        return None if row is None else conversation_from(row)
