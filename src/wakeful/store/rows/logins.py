"""Rows of logins and tickets."""

from collections.abc import Callable

from wakeful.model.login import Login, Ticket
from wakeful.store.rows.row import Row, Values, values_getter

TICKET_COLUMNS = ("digest", "principal", "created_at", "used_at", "expires_at")
LOGIN_COLUMNS = (*TICKET_COLUMNS, "browser", "address")
ticket_values: Callable[[Ticket], Values] = values_getter(TICKET_COLUMNS)
login_values: Callable[[Login], Values] = values_getter(LOGIN_COLUMNS)


def login_from(row: Row) -> Login:
    return Login(
        row["digest"],
        row["principal"],
        row["created_at"],
        row["used_at"],
        row["expires_at"],
        row["browser"],
        row["address"],
    )


def ticket_from(row: Row) -> Ticket:
    return Ticket(row["digest"], row["principal"], row["created_at"], row["expires_at"], row["used_at"])
