"""What every request to an endpoint carries, and what becomes of a refusal."""

from collections.abc import Callable

import pytest

from tests.endpoint import Endpoint, Script
from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.endpoint_client import Attempt, EndpointClient
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.errors import ConfigError, ModelError
from wakeful.model.journal.message import UserMessage

BODY = b'{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}'


class Asked(Attempt):
    """Counts how often it was sent, and relents as often as a test says."""

    def __init__(self, relents: int = 0) -> None:
        super().__init__(EndpointSettings(), ModelRequest("m", "", [UserMessage("Hi")], ()))
        self.left = relents
        self.refusals: list[tuple[int, str]] = []

    def body(self) -> bytes:
        return BODY

    def relents(self, status: int, words: str) -> bool:
        self.refusals.append((status, words))
        self.left -= 1
        return self.left >= 0


async def sent_headers(settings: Callable[[str], EndpointSettings]) -> dict[str, str]:
    async with Endpoint() as endpoint:
        client = EndpointClient(settings(endpoint.url), "/chat/completions")
        async with client.post(Asked()) as response:
            await response.read_whole()
        await client.close()
    return endpoint.tally.headers[0]


async def test_a_request_says_who_asks_and_that_nothing_is_to_be_packed() -> None:
    headers = await sent_headers(lambda url: EndpointSettings(url, " sk-key "))

    assert (headers["accept"], headers["content-type"]) == ("text/event-stream", "application/json")
    assert (headers["accept-encoding"], headers["user-agent"]) == ("identity", "wakeful")
    assert headers["authorization"] == "Bearer sk-key"


async def test_the_operators_headers_win_and_without_a_key_none_is_sent() -> None:
    headers = await sent_headers(lambda url: EndpointSettings(url, headers={"User-Agent": "mine", "X-Team": "blue"}))

    assert (headers["user-agent"], headers["x-team"]) == ("mine", "blue")
    assert "authorization" not in headers


@pytest.mark.parametrize("key", ["sk-k\u00e9y", "sk-\x07key"])
@pytest.mark.parametrize("wire", [Wire.OPENAI, Wire.ANTHROPIC])
def test_a_key_that_no_header_can_hold_is_a_config_error_that_does_not_show_it(wire: Wire, key: str) -> None:
    with pytest.raises(ConfigError, match="MY_KEY holds characters that no key has") as caught:
        EndpointClient(EndpointSettings("http://host/v1", key, wire=wire, key_setting="MY_KEY"), "/v1/messages")

    assert key not in str(caught.value)


async def test_a_refused_request_is_sent_again_as_long_as_it_relents() -> None:
    refusal = Script(status=400, error={"message": "no"})
    async with Endpoint([refusal, refusal, Script()]) as endpoint:
        client = EndpointClient(EndpointSettings(endpoint.url), "/chat/completions")
        attempt = Asked(relents=2)
        async with client.post(attempt) as response:
            assert response.status == 200
        with pytest.raises(ModelError) as caught:
            async with EndpointClient(EndpointSettings(f"{endpoint.url}/nowhere"), "/odd").post(Asked()):
                pytest.fail("It was refused.")
        await client.close()

    assert [status for status, _ in attempt.refusals] == [400, 400]
    assert '"no"' in attempt.refusals[0][1]
    assert caught.value.code == "model_not_found"


async def test_only_a_list_that_is_there_is_given_out() -> None:
    async with Endpoint() as endpoint:
        listed, absent = (
            EndpointClient(EndpointSettings(endpoint.url), route, accept="application/json")
            for route in ("/models", "/nowhere")
        )
        async with listed.get() as response:
            assert b"scripted" in await response.read_whole()
        with pytest.raises(ModelError) as caught:
            async with absent.get():
                pytest.fail("It was refused.")
        await listed.close()
        await absent.close()

    assert caught.value.code == "model_not_found"
