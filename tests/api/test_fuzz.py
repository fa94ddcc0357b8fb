"""Anything at all, sent to every route: never a 5xx, always the same shape of errors, and nothing breaks inside."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.conftest import scripted
from tests.api.document import DOCUMENT
from tests.api.raw_http import RawReply, exchange, hang_up, request_bytes
from tests.api.server import ALICE, ApiServer, ModelEndpoint, running_server
from tests.postgres_server import PostgresServer

_OF_OPERATOR = ("/api/outbox/", "/api/pairings/")
_ENDLESS = ("/api/session/stream", "/api/stream")


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def fuzzed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, endpoint: ModelEndpoint
) -> Iterator[ApiServer]:
    """Yield a server, and check at the end that it works and has logged no error."""
    home: Path = tmp_path_factory.mktemp("fuzzed")
    log = home / "log"
    store = {}
    if request.param == "postgres":
        postgres: PostgresServer = request.getfixturevalue("postgres_server")
        postgres.start()
        store = {"WAKEFUL_DATABASE_URL": postgres.create_schema()}
    with running_server(home / "home", log, **scripted(endpoint), **store) as server:
        yield server
        assert server.send("GET", "/health").json()["status"] == "ok"
        assert server.send("POST", "/v1/responses", json={"input": "x"}).json()["status"] == "completed"
    said = log.read_text()
    assert not re.search("Traceback|Exception|ERROR|Error:", said), said[-5000:]


@pytest.fixture
def known(fuzzed: ApiServer) -> dict[str, Any]:
    """Return valid values for fields: the ids of a session with a turn, and others."""
    session_id = fuzzed.send("POST", "/api/session/new", json={}).json()["session_id"]
    said = fuzzed.send("POST", "/api/chat/start", json={"session_id": session_id, "message": "x"}).json()
    fuzzed.send("GET", f"/api/chat/stream?stream_id={said['stream_id']}")
    turn_id = said["turn_id"]
    ids = {"session_id": session_id, "turn_id": turn_id, "message_id": f"{turn_id}.0.0", "stream_id": turn_id}
    others = {"message": "x", "event_id": 1, "title": "x", "pinned": True, "call_id": "x", "choice": "once"}
    return ids | others | {"process_id": "x", "token": "x", "sessions": session_id, "turns": "inline", "html": "1"}


odd_text = st.one_of(
    st.text(st.characters(), max_size=40),
    st.sampled_from(
        ["", "\0", "a\0b", "\ud800", "\udfff\ud800", "🐈", "\u202e", "x" * 300, "x" * 70_000, "conv_", "resp_"]
    ),
    st.sampled_from(["-1", "0", "1e9", "9" * 400, "٣", "½", "true", "null", "NaN", "..", "%00", "' OR 1=1 --", "{}"]),
)
odd_value = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**53, -(2**63) - 1, 2**64, 10**400])
    | st.floats(allow_nan=True, allow_infinity=True)
    | odd_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(odd_text, inner, max_size=4),
    max_leaves=12,
)
odd_bytes = st.binary(max_size=200) | st.sampled_from(
    [b"", b"\xff\xfe{", b"\xef\xbb\xbf{}", b"{}{}", b"nul", b'{"a":1,"a":2}']
)


@st.composite
def bodies(draw: Any, operation: Any, known: dict[str, Any]) -> bytes:
    """A valid body with some fields replaced, or any bytes."""
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return bytes(draw(odd_bytes))
    if kind == 1:
        depth: int = draw(st.integers(1, 3000))
        return b'{"input": ' + b"[" * depth + b"]" * depth + b"}"
    fields = _fit_fields(operation, known)
    names = draw(st.lists(st.sampled_from(_field_names(operation)) | odd_text, max_size=4))
    fields |= {name: draw(odd_value) for name in names}
    text: bytes = json.dumps(fields, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    if kind == 2:
        cut: int = draw(st.integers(0, len(text)))
        return text[:cut] + bytes(draw(odd_bytes)) + text[cut:]
    return text


@st.composite
def requests(draw: Any, known: dict[str, Any]) -> tuple[str, bytes]:
    """A path of the document, and the bytes of a request to it."""
    (method, path), operation = draw(st.sampled_from(_OPERATIONS))
    target = path
    for parameter in (one for one in operation.get("parameters", ()) if one["in"] == "path"):
        target = target.replace(f"{{{parameter['name']}}}", draw(_path_part))
    named = {
        location: [one["name"] for one in operation.get("parameters", ()) if one["in"] == location]
        for location in ("query", "header")
    }
    odd = draw(st.lists(st.tuples(st.sampled_from(named["query"] or ["q"]), odd_text), max_size=4))
    fit = [(name, str(known[name])) for name in named["query"] if name in known and name not in dict(odd)]
    query = "&".join(f"{name}={_quoted(value)}" for name, value in fit + odd)
    raw_query = draw(
        st.sampled_from([b"", b"", b"", b"&after=%ff%fe", b"&starting_after=%zz", b"&&==&%", b"&stream=true"])
    )
    headers = draw(st.lists(st.tuples(st.sampled_from([*named["header"], *_HEADERS]), _header_value), max_size=3))
    body = draw(bodies(operation, known)) if method in ("post", "patch") else None
    whole = target.encode("ascii") + b"?" + query.encode("ascii") + raw_query
    return path, request_bytes(method.upper(), whole, [(name.encode(), value) for name, value in headers], body)


_HEADERS = [
    "Authorization",
    "Idempotency-Key",
    "Last-Event-ID",
    "X-Hermes-Session-Id",
    "X-Hermes-Session-Key",
    "X-Wakeful-Door",
    "X-Request-Id",
    "Content-Type",
    "Accept",
    "Cookie",
    "Origin",
    "Sec-Fetch-Site",
    "Host",
    "Expect",
]
_header_value = st.one_of(
    # Without control characters: the raw requests below have those.
    st.binary(max_size=60).map(lambda value: re.sub(rb"[\x00-\x1f\x7f]", b"", value)),
    st.sampled_from(
        [b"", b"Bearer", b"Bearer " + ALICE.encode(), b"Bearer \xff", b"Basic eDp5", b"x" * 300, b"1", b"-1"]
    ),
    st.sampled_from([b"application/xml", b"application/json; charset=utf-16", b"multipart/form-data", b"\xc3\xa9\xe9"]),
)
_path_part = st.one_of(
    st.sampled_from(
        ["conv_x", "resp_x", "run_x", "x", "%00", "resp_%00", "%ff%fe", "%2e%2e", "%2F", "%F0%9F%90%88", "a%0Ab"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).map(lambda text: quote(text, safe="")),
    st.just("x" * 5000),
)
_OPERATIONS = [
    ((method, path), operation) for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()
]


def test_whatever_a_client_sends_is_answered(fuzzed: ApiServer, known: dict[str, Any], soak: bool) -> None:
    @settings(max_examples=10_000 if soak else 150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(requests(known))
    def send(asked: tuple[str, bytes]) -> None:
        path, sent = asked
        reply = exchange(fuzzed.root, sent, reads_streams=path not in _ENDLESS)
        assert reply is not None, sent
        assert_is_fit(reply, path)
        if sent.startswith(b"DELETE /api/session?"):
            # The following examples need the session.
            fuzzed.send("POST", "/api/session/restore", json={"session_id": known["session_id"]})

    send()


_ODD: list[Any] = [None, True, -1, 2**63, 1.5, "", "\0", "x" * 300, "🐈", [], {"a": 1}]


def test_no_odd_field_of_a_body_breaks_anything(fuzzed: ApiServer, known: dict[str, Any]) -> None:
    """Send each field of the page's bodies with each odd value, and all others valid."""
    for (method, path), operation in _OPERATIONS:
        if "requestBody" not in operation or not path.startswith("/api/"):
            continue
        for name in _field_names(operation):
            for value in _ODD:
                body = orjson.dumps(_fit_fields(operation, known) | {name: value})
                reply = exchange(fuzzed.root, request_bytes(method.upper(), path.encode(), [], body))
                assert reply is not None
                assert_is_fit(reply, path)


def test_no_odd_part_of_a_query_breaks_anything(fuzzed: ApiServer, known: dict[str, Any]) -> None:
    for (method, path), operation in _OPERATIONS:
        names = [given["name"] for given in operation.get("parameters", ()) if given["in"] == "query"]
        if not path.startswith("/api/"):
            continue
        for name in names:
            for value in ("", "\0", "-1", "9" * 400, "nan~x", "a.b.c", "x.1.1", ",,", "🐈"):
                asked = {each: str(known[each]) for each in names if each in known} | {name: value}
                target = f"{path}?{'&'.join(f'{each}={_quoted(text)}' for each, text in asked.items())}"
                sent = request_bytes(method.upper(), target.encode())
                reply = exchange(fuzzed.root, sent, reads_streams=path not in _ENDLESS)
                assert reply is not None
                assert_is_fit(reply, path)


@pytest.mark.parametrize("name", ["%00", "conv_%00", "resp_%00", "run_%00"])
def test_a_name_that_no_store_takes_is_not_found(fuzzed: ApiServer, name: str) -> None:
    for (method, path), _ in _OPERATIONS:
        if "{" in path:
            target = re.sub(r"{\w+}", name, path).encode()
            body = b'{"metadata": {}, "items": [{"role": "user", "content": "x"}], "call_id": "x", "choice": "once"}'
            reply = exchange(fuzzed.root, request_bytes(method.upper(), target, [], body))
            assert reply is not None
            assert reply.status == _refusal_of(path), (target, reply)


def _refusal_of(path: str) -> int:
    """Return the status for a name that cannot exist. What is the operator's refuses other keys before it looks."""
    if path.startswith(_OF_OPERATOR):
        return 403
    return 400 if path.startswith("/api/") else 404


_HEAD = b"POST /v1/responses HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer " + ALICE.encode() + b"\r\n"


@pytest.mark.parametrize("fuzzed", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /health\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"BREW /v1/responses HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET http://elsewhere/v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET //v1//models HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /v1/models/\xff\xfe HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /v1/models/%zz%f HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /v1/runs/x/events?after=\xff\x80 HTTP/1.1\r\nhost: localhost\r\nlast-event-id: \xff\r\n\r\n",
        b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\nno colon\r\n\r\n",
        b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer a\x00b\r\n\r\n",
        b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 200_000 + b"\r\n\r\n",
        b"GET /" + b"y" * 200_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /v1/models HTTP/1.1\r\n" + b"a: b\r\n" * 5_000 + b"\r\n",
        b"GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /api/me HTTP/1.1\r\nhost: localhost\r\nhost: x\r\n\r\n",
        b"GET /api/me HTTP/1.1\r\nhost: [::1\xff\r\n\r\n",
        b"GET /api/me HTTP/1.1\r\nhost: localhost\r\ncookie: wakeful_session_80=\xff\xfe; =; x\r\n\r\n",
        b"POST /api/logout HTTP/1.1\r\nhost: localhost\r\ncookie: wakeful_session_80=x\r\norigin: \xff\r\n\r\n",
        b"POST /api/login HTTP/1.1\r\nhost: localhost\r\norigin: null\r\ncontent-length: 2\r\n\r\n{}",
        _HEAD + b"content-length: -1\r\n\r\n{}",
        _HEAD + b"content-length: x\r\n\r\n{}",
        _HEAD + b"content-length: 99999999999999999999\r\n\r\n{}",
        _HEAD + b"content-length: 2\r\ncontent-length: 3\r\n\r\n{} ",
        _HEAD + b"content-length: 1\r\nconnection: close\r\n\r\n{}",
        _HEAD + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        _HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        _HEAD + b"transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n",
        _HEAD + b"transfer-encoding: gzip\r\n\r\n{}",
        _HEAD + b"expect: 100-continue\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
        _HEAD + b"upgrade: websocket\r\nconnection: upgrade\r\ncontent-length: 2\r\n\r\n{}",
    ],
    ids=range(35),
)
def test_what_is_no_http_is_refused_and_breaks_nothing(fuzzed: ApiServer, sent: bytes) -> None:
    """Check the answer, if the request is complete enough to get one."""
    is_cut = not sent.strip() or sent.startswith(b"\x16")
    reply = None if is_cut else exchange(fuzzed.root, sent + b"\r\n\r\n")
    hang_up(fuzzed.root, sent)

    if reply is not None:
        assert_is_fit(reply, sent.split()[1].decode("latin-1"))
    assert fuzzed.send("GET", "/health").status_code == 200


def test_a_client_that_leaves_in_the_middle_breaks_nothing(fuzzed: ApiServer) -> None:
    body = b'{"input": "x", "stream": true}'
    whole = request_bytes("POST", b"/v1/responses", [], body)
    for cut in range(0, len(whole), 7):
        hang_up(fuzzed.root, whole[:cut])
    for path in (b"/v1/chat/completions", b"/v1/conversations", b"/v1/runs", b"/api/chat/start"):
        hang_up(fuzzed.root, request_bytes("POST", path, [(b"content-length", b"100")], b"{"))

    assert fuzzed.send("GET", "/health").status_code == 200


def assert_is_fit(reply: RawReply, path: str) -> None:
    assert reply.status < 500, reply
    if reply.status < 400:
        return
    assert reply.content_type == "application/json", reply
    error = orjson.loads(reply.body or b"")["error"]
    assert error["code"]
    assert error["message"]
    if path.startswith("/v1/"):
        assert {"message", "type", "param", "code"} == set(error)


def _fit_fields(operation: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Return a valid body, with the fields that `known` has."""
    fit = {"input": "x", "messages": [{"role": "user", "content": "x"}], "items": []} | known
    return {name: fit[name] for name in _field_names(operation) if name in fit}


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"))


def _field_names(operation: Any) -> list[str]:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return ["input"]
    schema = content["application/json"]["schema"]
    if "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    # A hook takes any object.
    return list(schema.get("properties", ())) or ["input"]
