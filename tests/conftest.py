"""The fixtures and options that all tests share."""

from collections.abc import Iterator

import pytest

from tests.postgres_server import PostgresServer


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the long-running tests too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--soak"):
        return
    # Deselected, not skipped: a skip in the report should mean that something is missing.
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("soak")])
    items[:] = [item for item in items if not item.get_closest_marker("soak")]


@pytest.fixture(scope="session")
def soak(pytestconfig: pytest.Config) -> bool:
    """Whether there is time: a test may ask, and then do more of the same."""
    return bool(pytestconfig.getoption("--soak"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for each process of the test run, started by the first test that asks for it."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """An empty schema of this test's own. It goes with the server, not with the test."""
    # The test before may have stopped it.
    postgres_server.start()
    return postgres_server.create_schema()
