"""How logins look in a list."""

from typing import Any

from wakeful.cli.lists.login_list import login_lines


def row(**more: Any) -> dict[str, Any]:
    base = {"id": "login_1", "name": "operator", "browser": "Firefox on Linux", "address": "10.0.0.7"}
    return base | {"created_at": "2026-01-01T10:00:00.000Z", "used_at": "2026-01-02T10:00:00.000Z"} | more


def test_a_login_is_one_line_under_headings() -> None:
    headings, line = login_lines([row()])

    assert headings.split() == ["ID", "NAME", "SINCE", "LAST", "SEEN", "BROWSER", "FROM"]
    assert line.startswith("login_1  operator  1 Jan ")
    assert line.endswith("  Firefox on Linux  10.0.0.7")
    assert headings.index("BROWSER") == line.index("Firefox")


def test_a_browser_that_does_not_say_what_it_is_is_unknown() -> None:
    assert "unknown" in login_lines([row(browser="", address="")])[1]


def test_without_logins_there_are_no_lines() -> None:
    assert login_lines([]) == []
