"""Rows that this version does not understand."""

import pytest

from wakeful.store.rows.row import Row, decode_rows


def test_rows_that_are_not_understood_are_left_out_and_named_as_well_as_they_can_be(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def decode(row: Row) -> int:
        return int(row["number"])

    rows = [{"number": "x", "id": "k1"}, {"number": "1"}, {"number": "x", "turn_id": "t1"}, {"number": "x"}]

    assert decode_rows(decode, rows) == [1]
    named = [record.getMessage().split(": ")[1] for record in caplog.records]
    assert named == ["k1", "t1", "one without an id"]
