"""Conversations of the API in SQLite."""

import sqlite3

from wakeful.model.api.conversation import Conversation
from wakeful.store.rows.api import CONVERSATION_COLUMNS, conversation_from, conversation_values
from wakeful.store.sqlite.statement import insertion


class SqliteConversations:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def create_if_absent(self, conversation: Conversation) -> bool:
        cursor = self._connection.execute(
            f"{insertion('conversations', CONVERSATION_COLUMNS)} ON CONFLICT DO NOTHING",
            conversation_values(conversation),
        )
        return cursor.rowcount == 1

    async def get(self, conversation_id: str) -> Conversation | None:
        return self._find("id = ?", conversation_id)

    async def named(self, owner: str, name: str) -> Conversation | None:
        return self._find("owner = ? AND name = ? AND name <> ''", owner, name)

    async def of_session(self, session_id: str) -> Conversation | None:
        return self._find("session_id = ?", session_id)

    async def change(self, conversation_id: str, metadata: bytes) -> None:
        self._connection.execute("UPDATE conversations SET metadata = ? WHERE id = ?", (metadata, conversation_id))

    async def delete(self, conversation_id: str) -> None:
        self._connection.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))

    def _find(self, condition: str, *values: str) -> Conversation | None:
        row = self._connection.execute(f"SELECT * FROM conversations WHERE {condition}", values).fetchone()
        return None if row is None else conversation_from(row)
