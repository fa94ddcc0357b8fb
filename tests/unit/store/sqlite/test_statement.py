"""Statements that insert many rows into a SQLite table."""

import sqlite3
from contextlib import closing

import pytest

from wakeful.store.sqlite import statement
from wakeful.store.sqlite.statement import insert, insertion


@pytest.mark.parametrize(("count", "statements"), [(0, 0), (1, 1), (2, 1), (3, 2), (5, 3)])
def test_rows_are_inserted_in_their_order_and_in_as_few_statements_as_fit(
    monkeypatch: pytest.MonkeyPatch, count: int, statements: int
) -> None:
    monkeypatch.setattr(statement, "_MOST_VALUES", 5)
    rows = [(number, f"name {number}") for number in range(count)]
    texts: list[str] = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b TEXT)")
        connection.set_trace_callback(texts.append)

        insert(connection, "t", ("a", "b"), rows)

        assert len(texts) == statements
        assert connection.execute("SELECT * FROM t ORDER BY rowid").fetchall() == rows


def test_the_last_columns_may_be_expressions_of_the_last_values() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER)")

        insert(connection, "t", ("a", "b", "c"), [(1, 2, 3), (4, 5, 6)], last=("10 * ?", "100 * ?"))

        assert connection.execute("SELECT * FROM t").fetchall() == [(1, 20, 300), (4, 50, 600)]


def test_one_row_has_a_mark_for_each_column() -> None:
    assert insertion("t", ("a", "b")) == "INSERT INTO t (a, b) VALUES (?, ?)"
