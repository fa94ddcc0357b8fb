"""Words of steps that are being answered, shared between nodes: rows of an unlogged table, which are never updated."""

from collections.abc import Mapping, Sequence

from wakeful.model.packed_json import pack
from wakeful.model.words import WordsHead, WordsPart
from wakeful.store.postgres.notifier import PostgresNotifier
from wakeful.store.postgres.pool import PostgresPool
from wakeful.store.postgres.tables.turns.said import part_from
from wakeful.store.postgres.transaction import READ, WRITE
from wakeful.under_way import UnderWay

_WRITE = """
    WITH gone AS (
        DELETE FROM words w USING unnest($9::text[], $10::bigint[]) AS e (turn_id, base)
        WHERE w.turn_id = e.turn_id AND w.base <= e.base
    )
    INSERT INTO words (session_id, turn_id, step, base, turn_base, first, last, said)
    SELECT * FROM unnest(
        $1::text[], $2::text[], $3::int[], $4::bigint[], $5::bigint[], $6::int[], $7::int[], $8::bytea[]
    )
"""
_READ = """
    SELECT w.* FROM unnest($1::text[], $2::bigint[], $3::int[]) AS k (session_id, base, word)
    JOIN words w ON w.session_id = k.session_id AND (w.base > k.base OR (w.base = k.base AND w.last > k.word))
    JOIN turns t ON t.id = w.turn_id AND t.status = 'running' AND t.last_seq = w.turn_base
    ORDER BY w.session_id, w.base, w.first
"""
_SWEEP = """
    DELETE FROM words w WHERE NOT EXISTS (
        SELECT 1 FROM turns t WHERE t.id = w.turn_id AND t.status = 'running' AND t.last_seq = w.turn_base
    )
"""


class PostgresWords:
    def __init__(
        self, writing: PostgresPool, reading: PostgresPool, notifier: PostgresNotifier, under_way: UnderWay
    ) -> None:
        self._writing = writing
        self._reading = reading
        self._notifier = notifier
        self._under_way = under_way

    async def has_readers(self, node: str) -> bool:
        return await self._under_way.to_its_end(self._has_readers(node))

    async def write(self, parts: Sequence[WordsPart], ended: Sequence[WordsHead]) -> None:
        await self._under_way.to_its_end(self._write(parts, ended))
        self._notifier.publish_spoken(part.head.session_id for part in parts)

    async def read(self, known: Mapping[str, tuple[int, int]]) -> list[WordsPart]:
        return await self._under_way.to_its_end(self._read(known))

    async def sweep(self) -> None:
        await self._under_way.to_its_end(self._sweep())

    async def _has_readers(self, node: str) -> bool:
        async with self._reading.transaction(READ) as connection:
            others: bool = await connection.fetchval(
                "SELECT EXISTS (SELECT 1 FROM nodes WHERE id <> $1 AND lease_until > wakeful_now())", node
            )
        return others

    async def _write(self, parts: Sequence[WordsPart], ended: Sequence[WordsHead]) -> None:
        async with self._writing.transaction(WRITE) as connection:
            await connection.execute(
                _WRITE,
                [part.head.session_id for part in parts],
                [part.head.turn_id for part in parts],
                [part.head.step for part in parts],
                [part.head.base for part in parts],
                [part.turn_base for part in parts],
                [part.first for part in parts],
                [part.first + len(part.said.cuts) - 1 for part in parts],
                [pack([part.said.text, part.said.reasoning, part.said.cuts]) for part in parts],
                [head.turn_id for head in ended],
                [head.base for head in ended],
            )
            await connection.execute("COMMIT")

    async def _read(self, known: Mapping[str, tuple[int, int]]) -> list[WordsPart]:
        bases, words = [base for base, _ in known.values()], [word for _, word in known.values()]
        async with self._reading.transaction(READ) as connection:
            rows = await connection.fetch(_READ, list(known), bases, words)
        return [part_from(row) for row in rows]

    async def _sweep(self) -> None:
        async with self._writing.transaction(WRITE) as connection:
            await connection.execute(_SWEEP)
            await connection.execute("COMMIT")
