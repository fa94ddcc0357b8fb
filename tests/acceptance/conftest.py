"""What the acceptance tests share."""

import itertools
from pathlib import Path

import pytest

from tests.acceptance.command import Command
from tests.acceptance.walks import Case, NewCase
from tests.ready_database import ReadyDatabase, put_sqlite_file


@pytest.fixture
def wakeful(tmp_path: Path) -> Command:
    """The command, in an empty folder, with a home that does not exist yet."""
    folder = tmp_path / "folder"
    folder.mkdir()
    return Command(tmp_path / "home", folder)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def new_case(store: str, request: pytest.FixtureRequest, tmp_path: Path) -> NewCase:
    """Returns a maker of cases that die at the given moments, each with its own folder and an empty database."""
    numbers = itertools.count(1)

    def empty_database(folder: Path) -> str:
        if store == "postgres":
            database: ReadyDatabase = request.getfixturevalue("ready_database")
            return database.emptied()
        put_sqlite_file(folder / "wakeful.db")
        return str(folder / "wakeful.db")

    def make(*deaths: str) -> Case:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        return Case(str(folder), empty_database(folder), deaths)

    return make
