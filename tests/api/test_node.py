"""The official JavaScript client and the AI SDK, in sentences of their own: tests/api/node, run by Node.js."""

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
# For one sentence, in milliseconds, and for whatever is run, in seconds: several may be late.
_PATIENCE = 15_000
_DEADLINE = 100.0


@pytest.mark.parametrize("file", _FILES)
def test_the_javascript_client(
    server: ApiServer, endpoint: ModelEndpoint, file: str, subtests: pytest.Subtests
) -> None:
    # What a sentence that failed has left open must not keep the runner from its end.
    how = ("--test", "--test-reporter=junit", f"--test-timeout={_PATIENCE}", "--test-force-exit")
    report = _node(server, endpoint, *how, file)
    sentences = list(ElementTree.fromstring(report).iter("testcase"))

    assert sentences
    for sentence in sentences:
        with subtests.test(sentence.attrib["name"]):
            failure = sentence.findtext("failure")
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

    told = orjson.loads(_node(own_server, endpoint, "follow.mjs", begun[0].response.id))

    # The words that the kill cut off are gone; the one answer is that which was asked for again.
    assert told["types"].count("response.output_item.done") == 1
    assert told["final"]["output_text"] == "".join(f"token{number} " for number in range(20))


def _node(server: ApiServer, endpoint: ModelEndpoint, *arguments: str) -> str:
    """What Node.js prints. Of the environment it gets nothing else: there may be settings for the client in it."""
    places = {"SERVER_URL": server.root, "ENDPOINT_URL": endpoint.url.removesuffix("/v1"), "ALICE": ALICE, "BOB": BOB}
    command = [str(find_node() / "node"), *arguments]
    done = subprocess.run(
        command, cwd=_FOLDER, env=places, capture_output=True, text=True, timeout=_DEADLINE, check=False
    )
    assert done.stdout, done.stderr
    return done.stdout
