"""Asking an OpenAI-compatible endpoint which models it has, against a real server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from wakeful.agent.models.entry import ModelEntry
from wakeful.agent.models.model_list import EndpointModels, model_sources
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.agent.providers.registry import ProviderSettings
from wakeful.errors import ModelError

KEY = "sk-very-secret"
Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """A server that does this for every request; its base URL."""
    server = web.Server(handler)
    runner = web.ServerRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def answering(body: object, status: int = 200) -> Handler:
    async def handle(request: web.BaseRequest) -> web.Response:
        return web.json_response(body, status=status)

    return handle


def models_at(url: str, *, idle_timeout: float = 5.0) -> EndpointModels:
    return EndpointModels(EndpointSettings(base_url=url, api_key=KEY, idle_timeout=idle_timeout))


async def test_the_models_come_from_the_list_beside_the_chat_route() -> None:
    seen: list[tuple[str, str, str]] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        seen.append((request.method, request.path_qs, request.headers["authorization"]))
        model = {"id": "llama3.2:3b", "object": "model", "created": 1686935002, "owned_by": "library"}
        return web.json_response({"object": "list", "data": [model, {"id": "bare"}]})

    async with serving(handle) as url:
        entries = await models_at(f"{url}/chat/completions?version=1").list_models()

    assert seen == [("GET", "/v1/models?version=1", f"Bearer {KEY}")]
    assert entries == [
        ModelEntry("openai:llama3.2:3b", "openai", 1686935002, "library"),
        ModelEntry("openai:bare", "openai", 0, "openai"),
    ]
    assert entries[0].name == "llama3.2:3b"


async def test_without_a_key_none_is_sent() -> None:
    seen: list[bool] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        seen.append("authorization" in request.headers)
        return web.json_response({"data": []})

    async with serving(handle) as url:
        assert await EndpointModels(EndpointSettings(base_url=url)).list_models() == []

    assert seen == [False]


async def test_a_bare_list_is_taken_and_what_has_no_name_is_left_out() -> None:
    odd = [{"id": "good", "created": 2**70}, {"id": ""}, {"id": 3}, {"id": "a\nb"}, {"id": "x" * 300}, {}, "text", None]

    async with serving(answering(odd)) as url:
        entries = await models_at(url).list_models()

    assert entries == [ModelEntry("openai:good", "openai", 0, "openai")]


async def test_dates_and_owners_are_taken_where_they_make_sense() -> None:
    known: dict[str, dict[str, object]] = {
        "first": {"created": 1},
        "last": {"created": 2**53 - 1},
        "never": {"created": 0},
        "too-late": {"created": 2**53},
        "before": {"created": -1},
        "words": {"created": "2027", "created_at": "2027-01-01T00:00:00Z"},
        "nothing": {"created_at": "soon"},
        "owned": {"owned_by": "x" * 256},
        "blank": {"owned_by": "  "},
    }
    async with serving(answering([{"id": name, **fields} for name, fields in known.items()])) as url:
        entries = {entry.name: entry for entry in await models_at(url).list_models()}

    created = {name: entry.created for name, entry in entries.items() if entry.created}
    assert created == {"first": 1, "last": 2**53 - 1, "words": 1_798_761_600}
    assert {name for name, entry in entries.items() if entry.owned_by != "openai"} == {"owned"}


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": {"a": 1}}, "words", 3, None])
async def test_another_answer_is_an_error_in_words(body: object) -> None:
    async with serving(answering(body)) as url:
        with pytest.raises(ModelError, match=r"127\.0\.0\.1:\d+/v1/models did not answer with a list of models"):
            await models_at(url).list_models()


@pytest.mark.parametrize(
    ("status", "code"), [(401, "model_auth"), (404, "model_not_found"), (500, "model_unavailable")]
)
async def test_a_refusal_is_reported_without_the_key(status: int, code: str) -> None:
    async with serving(answering({"error": {"message": f"no {KEY} here"}}, status)) as url:
        with pytest.raises(ModelError) as caught:
            await models_at(url).list_models()

    assert caught.value.code == code
    assert KEY not in str(caught.value)


async def test_a_redirect_is_not_followed() -> None:
    visits: list[str] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        visits.append(request.path)
        return web.Response(status=302, headers={"location": "/elsewhere"})

    async with serving(handle) as url:
        with pytest.raises(ModelError, match="redirects elsewhere"):
            await models_at(url).list_models()

    assert visits == ["/v1/models"]


async def test_a_list_without_end_is_left() -> None:
    was_left = asyncio.Event()

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while not was_left.is_set():
            try:
                await response.write(b" " * 65_536)
            except ConnectionError:
                was_left.set()
        return response

    async with serving(handle) as url:
        with pytest.raises(ModelError, match="list of models"):
            await models_at(url).list_models()
        await was_left.wait()


async def test_a_silent_endpoint_is_an_error() -> None:
    async def handle(request: web.BaseRequest) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    async with serving(handle) as url:
        with pytest.raises(ModelError, match=r"said nothing for 0\.05 s"):
            await models_at(url, idle_timeout=0.05).list_models()


async def test_an_endpoint_that_is_not_there_is_an_error() -> None:
    async with serving(answering({})) as url:
        pass

    with pytest.raises(ModelError, match="cannot be reached"):
        await models_at(url).list_models()


def test_with_the_demonstration_model_alone_no_endpoint_is_asked() -> None:
    assert model_sources(ProviderSettings(), "demo:wakeful") == []


@pytest.mark.parametrize(
    ("endpoint", "default"),
    [
        (EndpointSettings(is_configured=True), "demo:wakeful"),
        (EndpointSettings(), "openai:gpt-5"),
    ],
)
def test_a_configured_endpoint_is_asked(endpoint: EndpointSettings, default: str) -> None:
    sources = model_sources(ProviderSettings({"openai": endpoint, "ollama": EndpointSettings(name="ollama")}), default)

    assert [source.provider for source in sources] == ["openai"]


def test_an_endpoint_without_the_key_that_it_needs_is_not_asked() -> None:
    endpoint = EndpointSettings(needs_key=True, is_configured=True)

    assert model_sources(ProviderSettings({"openai": endpoint}), "openai:gpt-5") == []


async def test_anthropic_lists_its_models_under_its_own_key_and_version() -> None:
    seen: list[tuple[str, str, str]] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        seen.append((request.path_qs, request.headers["x-api-key"], request.headers["anthropic-version"]))
        model = {"type": "model", "id": "claude-opus-5", "display_name": "Opus", "created_at": "2026-02-03T00:00:00Z"}
        return web.json_response({"data": [model], "has_more": False})

    async with serving(handle) as url:
        endpoint = EndpointSettings(url.removesuffix("/v1"), KEY, name="claude", wire=Wire.ANTHROPIC)
        entries = await EndpointModels(endpoint).list_models()

    assert seen == [("/v1/models?limit=1000", KEY, "2026-10-21")]
    assert entries == [ModelEntry("claude:claude-opus-5", "claude", 1770076800, "claude")]
