"""One server and one model endpoint for each process of the test run: the tests tell their objects apart by id."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from openai import AsyncOpenAI, OpenAI

from tests.api.server import ApiServer, ModelEndpoint, running_endpoint, running_server


@pytest.fixture(scope="session")
def endpoint() -> Iterator[ModelEndpoint]:
    with running_endpoint() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, endpoint: ModelEndpoint) -> Iterator[ApiServer]:
    """A server whose model is the scripted endpoint."""
    with running_server(tmp_path_factory.mktemp("home"), **scripted(endpoint)) as server:
        yield server


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """A server with the demonstration model."""
    with running_server(tmp_path_factory.mktemp("home")) as server:
        yield server


@pytest.fixture
def own_server(tmp_path: Path, endpoint: ModelEndpoint) -> Iterator[ApiServer]:
    """A server for one test, which may kill it."""
    with running_server(tmp_path / "home", **scripted(endpoint)) as server:
        yield server


@pytest.fixture
def client(server: ApiServer) -> Iterator[OpenAI]:
    with server.client() as client:
        yield client


@pytest.fixture
async def async_client(server: ApiServer) -> AsyncIterator[AsyncOpenAI]:
    async with server.async_client() as client:
        yield client


def scripted(endpoint: ModelEndpoint) -> dict[str, str]:
    return {"WAKEFUL_MODEL": "openai:scripted", "OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "none"}
