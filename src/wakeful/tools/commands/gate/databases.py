"""Finds commands that delete data of a database."""

import re
from collections.abc import Iterator

from wakeful.model.approvals.reason_kinds import DROP_DATA
from wakeful.tools.commands.gate.finding import Finding
from wakeful.tools.commands.gate.location import Location
from wakeful.tools.commands.shell.command import SimpleCommand

DATABASE_CLIENTS = ("psql", "mysql", "mariadb", "sqlite3", "duckdb", "sqlcmd", "clickhouse-client", "mongosh")
_DROP = re.compile(
    r"\bdrop\s+(table|database|schema)\b[^;\n]{0,80}|\btruncate\s+table\b[^;\n]{0,80}"
    r"|\bdelete\s+from\s+\S+\s*(?=;|$)|dropDatabase\(",
    re.IGNORECASE,
)


def drops_data(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    if command.program == "dropdb":
        name = command.operands[-1] if command.operands else None
        yield Finding(DROP_DATA, f"deletes the database {name}" if name else "deletes a database", name)
        return
    for text in _statements(command):
        for found in _DROP.finditer(text):
            statement = " ".join(found.group().split())
            yield Finding(DROP_DATA, f"deletes data of a database ({statement})", statement)


def _statements(command: SimpleCommand) -> tuple[str, ...]:
    if command.program.lower() in ("drop", "truncate", "delete"):
        # A statement that is typed into a client.
        return (" ".join((command.program, *command.arguments)),)
    return (*command.arguments, *command.inputs) if command.program in DATABASE_CLIENTS else ()
