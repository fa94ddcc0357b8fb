"""Logins and tickets as rows."""

import pytest

from wakeful.model.login import Login, Ticket
from wakeful.store.rows.logins import (
    LOGIN_COLUMNS,
    TICKET_COLUMNS,
    login_from,
    login_values,
    ticket_from,
    ticket_values,
)


def test_a_login_comes_back_whole() -> None:
    login = Login("digest", "alice", 10.0, 20.0, 30.0, "Firefox", "192.0.2.1")

    assert login_from(dict(zip(LOGIN_COLUMNS, login_values(login), strict=True))) == login


@pytest.mark.parametrize("used_at", [None, 20.0])
def test_a_ticket_comes_back_whole_before_and_after_its_use(used_at: float | None) -> None:
    ticket = Ticket("digest", "alice", 10.0, 30.0, used_at)

    assert ticket_from(dict(zip(TICKET_COLUMNS, ticket_values(ticket), strict=True))) == ticket
