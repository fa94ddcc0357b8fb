"""The official JavaScript client and the AI SDK: runs the tests in tests/api/node with Node.js."""

import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import orjson
import pytest

from tests.api.node_program import find_node
from tests.api.server import ALICE, BOB, ApiServer, ModelEndpoint, script

_FOLDER = Path(__file__).parent / "node"
_FILES = sorted(file.name for file in _FOLDER.glob("*.test.mjs"))
# For one test, in milliseconds, and for a whole run, in seconds: several tests may be slow.
_PATIENCE = 15_000
_DEADLINE = 100.0


@pytest.mark.parametrize("file", _FILES)
def test_the_javascript_client(
    server: ApiServer, endpoint: ModelEndpoint, file: str, subtests: pytest.Subtests
) -> None:
    # What a failed test left open must not keep the runner from ending.
    how = ("--test", "--test-reporter=junit", f"--test-timeout={_PATIENCE}", "--test-force-exit")
    report = _node(server, endpoint, *how, file)
    tests = list(ElementTree.fromstring(report).iter("testcase"))

    assert tests
    for test in tests:
        with subtests.test(test.attrib["name"]):
            failure = test.findtext("failure")
            assert failure is None, failure


def test_its_stream_helper_follows_a_response_that_a_killed_server_began(
    own_server: ApiServer, endpoint: ModelEndpoint
) -> None:
    with own_server.client() as client:
        stream = client.responses.create(input=script(tokens=20, rate=40), stream=True)
        begun: list[Any] = [next(stream) for _ in range(8)]
        own_server.kill()
        stream.close()
    own_server.start()

    printed = orjson.loads(_node(own_server, endpoint, "follow.mjs", begun[0].response.id))

    # The words that the kill cut off are gone; the only answer is that of the retry.
    assert printed["types"].count("response.output_item.done") == 1
    assert printed["final"]["output_text"] == "".join(f"token{number} " for number in range(20))


def _node(server: ApiServer, endpoint: ModelEndpoint, *arguments: str) -> str:
    """Return what Node.js prints. It does not inherit our environment, which may have settings for the client."""
    environment = {
        "SERVER_URL": server.root,
        "ENDPOINT_URL": endpoint.url.removesuffix("/v1"),
        "ALICE": ALICE,
        "BOB": BOB,
    }
    command = [str(find_node() / "node"), *arguments]
    done = subprocess.run(
        command, cwd=_FOLDER, env=environment, capture_output=True, text=True, timeout=_DEADLINE, check=False
    )
    assert done.stdout, done.stderr
    return done.stdout
