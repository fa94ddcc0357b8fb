"""The OpenAPI document and its page: they describe every route, and the routes behave as described."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx2
import pytest
import schemathesis

from tests.api.conftest import scripted
from tests.api.server import ALICE, ROOT, ApiServer, ModelEndpoint, running_server
from wakeful.app import running_engine
from wakeful.building.http import build_front_door, build_http
from wakeful.config.load import load_config
from wakeful.web.pages import PageRoutes

_METHODS = {"get", "post", "patch", "delete"}
_OPEN = {"getHealth", "getDocument", "getPage", "getStyle", "logIn", "logOut", "receiveHook"}


@pytest.fixture(scope="module")
def document(server: ApiServer) -> Any:
    return httpx2.get(f"{server.root}/openapi.json", trust_env=False).json()


async def test_the_document_has_every_route_and_no_other(tmp_path: Path, document: Any) -> None:
    config = load_config({"WAKEFUL_HOME": str(tmp_path)})
    async with running_engine(config, adopts=False) as running:
        served = set(_described(_routes_of(build_http(config, running, "key", build_front_door(config, running)))))
    # The page and its files are for browsers. The routes that the page calls are in the document.
    served -= set(_described(PageRoutes(has_password=False).routes()))

    described = {(method, path) for path, methods in document["paths"].items() for method in methods}
    assert served == described


def test_the_document_is_openapi(document: Any) -> None:
    assert document["openapi"].startswith("3.1.")
    schemathesis.openapi.from_dict(document).validate()


def test_every_operation_has_a_unique_name_and_every_reference_resolves(document: Any) -> None:
    names = [operation["operationId"] for operation in _operations(document).values()]
    assert len(set(names)) == len(names)

    for reference in re.findall(r"#/components/\w+/\w+", str(document)):
        _, _, kind, name = reference.split("/")
        assert name in document["components"][kind], reference


def test_without_a_key_and_with_a_wrong_one_only_the_open_routes_answer(server: ApiServer, document: Any) -> None:
    with httpx2.Client(trust_env=False, verify=False) as http:
        for (method, path), operation in _operations(document).items():
            for headers in ({}, {"authorization": "Bearer wrong"}):
                reply = http.request(method, server.root + re.sub(r"{\w+}", "x", path), headers=headers)
                is_open = operation.get("security") == []
                # A login without a body is 400, and there is no hook x.
                assert reply.status_code in ((200, 400, 404) if is_open else (401,)), (method, path)
                assert is_open == (operation["operationId"] in _OPEN)
                assert is_open or set(reply.json()["error"]) >= {"code", "message"}


def test_the_page_shows_every_operation_and_schema(server: ApiServer, document: Any) -> None:
    page = httpx2.get(f"{server.root}/docs", trust_env=False)
    seen = _Page(page.text)

    names = {operation["operationId"] for operation in _operations(document).values()} | set(
        document["components"]["schemas"]
    )
    assert names <= seen.ids
    assert {link.removeprefix("#") for link in seen.links if link.startswith("#")} <= seen.ids


def test_the_page_needs_nothing_from_elsewhere_and_runs_no_script(server: ApiServer) -> None:
    page = httpx2.get(f"{server.root}/docs", trust_env=False)
    seen = _Page(page.text)

    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert not seen.tags & {"script", "style", "iframe", "img"}
    assert "style" not in seen.attributes
    assert all(link.startswith(("#", "/")) for link in seen.links)
    style = httpx2.get(f"{server.root}/docs/style.css", trust_env=False)
    assert (style.status_code, style.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "url(" not in style.text


@pytest.mark.timeout(900)
def test_no_answer_is_outside_of_the_document(tmp_path: Path, endpoint: ModelEndpoint, soak: bool) -> None:
    """Let schemathesis send valid and invalid requests and check every answer."""
    log = tmp_path / "log"
    with running_server(tmp_path / "home", log, **scripted(endpoint)) as server:
        asked = _schemathesis(server, soak)
        assert server.send("GET", "/health").json()["status"] == "ok"

    assert asked.returncode == 0, asked.stdout
    assert "Traceback" not in log.read_text()


def _schemathesis(server: ApiServer, soak: bool) -> subprocess.CompletedProcess[str]:
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{server.root}/openapi.json"),
        *(
            "--header",
            f"Authorization: Bearer {ALICE}",
            "--request-timeout",
            "20",
            "--no-color",
            "--continue-on-failure",
        ),
        # Our check replaces the first and also looks at the code of a refusal. The second is about the key, which our
        # hook adds to every request; a test above sends none. The third expects a 404 only for the resource in the
        # path, but it may be for an item that the body names.
        *("--exclude-checks", "positive_data_acceptance,missing_required_header,ensure_resource_availability"),
        # These streams never end by themselves.
        *("--exclude-path", "/api/session/stream", "--exclude-path", "/api/stream"),
    ]
    command += ["--phases", "coverage,fuzzing,stateful", "--max-time", "300"] if soak else ["--phases", "coverage"]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.api.schemathesis_checks", "PYTHONPATH": str(ROOT)}
    # In the home of the server, because it writes files to its working directory.
    return subprocess.run(
        command, cwd=server.home, env=os.environ | hooks, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def _operations(document: Any) -> dict[tuple[str, str], Any]:
    return {
        (method, path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method in _METHODS
    }


def _routes_of(app: Any) -> Any:
    while not hasattr(app, "routes"):
        app = app._app
    return app.routes


def _described(routes: Any) -> Iterator[tuple[str, str]]:
    for route in routes:
        for method in route.methods - {"HEAD"}:
            yield method.lower(), re.sub(r":\w+}", "}", route.path)


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.add(value or "")
            if name in ("href", "src"):
                self.links.add(value or "")
