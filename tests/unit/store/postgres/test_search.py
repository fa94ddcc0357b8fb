"""The search of the PostgreSQL store, for words that are in many texts."""

import pytest

from tests.store.admin import Admin
from tests.store.nouns import have_session
from wakeful.model.search.search import wanted_in
from wakeful.store.postgres.search import search
from wakeful.store.postgres.store import PostgresStore


@pytest.mark.parametrize(
    ("owner", "expected"), [("alice", {"hers"}), ("bob", {"his3", "his2"}), (None, {"his3", "his2"})]
)
async def test_newer_texts_of_others_hide_nothing_of_ones_own(
    store: PostgresStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch, owner: str | None, expected: set[str]
) -> None:
    monkeypatch.setattr(search, "_MOST_COLLECTED", 0)
    monkeypatch.setattr(search, "_MOST_FOUND", 2)
    await have_session(store, "hers", title="word")
    for number in (1, 2, 3):
        await have_session(store, f"his{number}", title="word", owner="bob")
    while await store.write(lambda tx: tx.search.index_some(9)):
        pass
    async with Admin(postgres_url) as admin:
        await admin.execute("ANALYZE search_docs")

    found = await store.search(lambda tx: tx.search.find(owner, wanted_in("word"), 10))

    assert set(found) == expected
