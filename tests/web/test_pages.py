"""The page and its files: their headers, and what browsers may keep."""

import gzip
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import wakeful.web
from tests.web.browser import Browser, logged_in
from tests.web.kit import Served
from tests.web.raw import raw

FOLDER = Path(wakeful.web.__file__).parent / "static"
EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


async def test_the_page_is_the_same_for_every_address(web: Served) -> None:
    browser = await logged_in(web)

    front = await browser.get("/")

    for path in ("/s/anything", "/settings", "/schedules", "/schedules/cron_1"):
        other = await browser.get(path)
        assert (path, other.status, other.json) == (path, front.status, front.json)
    assert front.headers["content-type"] == "text/html; charset=utf-8"
    assert b"{{" not in front.json


@pytest.mark.parametrize("path", ["/", "/login"])
async def test_a_page_runs_nothing_that_is_not_ours(web: Served, path: str) -> None:
    browser = await logged_in(web)

    policy = rules((await browser.get(path)).headers["content-security-policy"])

    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert policy["trusted-types"] == "wakeful"
    assert "unsafe" not in str(policy)


@pytest.mark.parametrize("name", ["page.html", "login.html"])
def test_the_pages_keep_to_their_own_policy(name: str) -> None:
    page = (FOLDER / name).read_text(encoding="utf-8")

    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:", page) == []


async def test_every_answer_has_the_security_headers(web: Served) -> None:
    browser = await logged_in(web)
    paths = ["/", "/login", "/api/me", "/api/nothing", "/v1/models", "/health", "/favicon.ico", "/static/x/y"]

    for path in paths:
        headers = (await browser.get(path)).headers
        assert {name: headers.get(name) for name in EVERYWHERE} == EVERYWHERE, path


@pytest.mark.parametrize("path", ["/api/me", "/api/sessions", "/api/nothing", "/v1/models", "/health"])
async def test_answers_of_the_api_are_not_cached(web: Served, path: str) -> None:
    browser = await logged_in(web)

    assert (await browser.get(path)).headers["cache-control"] == "no-store"


async def test_a_page_is_revalidated_each_time(web: Served) -> None:
    browser = await logged_in(web)
    first = await browser.get("/")

    again = await browser.get("/", **{"If-None-Match": first.headers["etag"]})

    assert first.headers["cache-control"] == "no-cache"
    assert (again.status, again.json) == (304, b"")


async def test_all_files_that_the_pages_name_exist_and_are_kept_forever(web: Served) -> None:
    browser = await logged_in(web)
    pages = (await browser.get("/")).json + (await browser.get("/login")).json
    named = {name.decode() for name in re.findall(rb'(?:src|href)="(/static/[^"#]+)', pages)}

    assert named
    for path in sorted(named):
        reply = await Browser(web).get(path)
        assert (path, reply.status) == (path, 200)
        assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("css/tokens.css", "text/css; charset=utf-8"),
        ("js/login.js", "text/javascript; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
        ("manifest.webmanifest", "application/manifest+json"),
    ],
)
async def test_a_file_has_its_type(web: Served, name: str, type: str) -> None:
    reply = await Browser(web).get(f"{await static_url(web)}/{name}")

    assert (reply.status, reply.headers["content-type"]) == (200, type)
    assert reply.json == (FOLDER / name).read_bytes()


@pytest.mark.parametrize("offer", ["gzip", "deflate, gzip, br", "gzip;q=0.5"])
async def test_a_file_is_compressed_for_clients_that_accept_it(web: Served, offer: str) -> None:
    path = f"{await static_url(web)}/css/tokens.css"
    plain = await Browser(web).get(path, **{"Accept-Encoding": "identity"})

    packed = await Browser(web).get(path, **{"Accept-Encoding": offer})

    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.json) == plain.json
    assert len(packed.json) < len(plain.json)
    assert packed.headers["etag"] != plain.headers["etag"]
    assert packed.headers["vary"] == plain.headers["vary"] == "accept-encoding"


@pytest.mark.parametrize("offer", ["", "br", "gzip;q=0", "gzip; q=0.000"])
async def test_a_file_is_plain_for_clients_that_do_not(web: Served, offer: str) -> None:
    reply = await Browser(web).get(f"{await static_url(web)}/css/tokens.css", **{"Accept-Encoding": offer})

    assert "content-encoding" not in reply.headers


async def test_a_file_that_is_known_is_not_sent_again(web: Served) -> None:
    path = f"{await static_url(web)}/icon.svg"
    etag = (await Browser(web).get(path)).headers["etag"]

    for known in (etag, f"W/{etag}", f'"other", {etag}'):
        assert (await Browser(web).get(path, **{"If-None-Match": known})).status == 304
    assert (await Browser(web).get(path, **{"If-None-Match": '"other"'})).status == 200


async def test_a_head_has_the_headers_and_nothing_else(web: Served) -> None:
    path = f"{await static_url(web)}/css/tokens.css"
    whole = await Browser(web).get(path, **{"Accept-Encoding": "identity"})

    head = await Browser(web).send("HEAD", path, headers={"Accept-Encoding": "identity"})

    assert (head.status, head.json) == (200, b"")
    assert head.headers["content-length"] == str(len(whole.json))


@pytest.mark.parametrize(
    "name",
    ["missing.js", "", ".", "../pages.py", "..%2fpages.py", "js/../../pages.py", "%2e%2e/%2e%2e/app.py", "/etc/passwd"],
)
async def test_nothing_but_the_files_is_served(web: Served, name: str) -> None:
    status, body = await raw(web, f"GET {await static_url(web)}/{name} HTTP/1.1\r\nHost: localhost")

    assert status == 404
    assert b'"not_found"' in body


async def test_files_of_another_version_are_not_found(web: Served) -> None:
    reply = await Browser(web).get("/static/0123456789abcdef/icon.svg")

    assert (reply.status, reply.code) == (404, "not_found")


async def test_the_icon_is_where_browsers_look_for_it(web: Served) -> None:
    reply = await Browser(web).get("/favicon.ico")

    assert (reply.status, reply.headers["content-type"]) == (200, "image/svg+xml")


async def static_url(web: Served) -> str:
    """Return the URL of the files, as the page names it."""
    page = (await Browser(web).get("/login")).json
    found = re.search(rb"/static/[0-9a-f]{16}", page)
    assert found is not None
    return found[0].decode()


def rules(policy: str) -> Mapping[str, str]:
    parts = (rule.strip().partition(" ") for rule in policy.split(";"))
    return {name: value for name, _, value in parts}


async def test_the_service_worker_and_no_other_file_may_control_all_pages(web: Served) -> None:
    files = await static_url(web)

    worker = await Browser(web).get(f"{files}/service_worker.js")
    other = await Browser(web).get(f"{files}/js/main.js")

    assert worker.headers["service-worker-allowed"] == "/"
    assert "service-worker-allowed" not in other.headers


async def test_a_page_names_every_module_that_its_script_needs(web: Served) -> None:
    """Otherwise a browser finds each module only when it has read the one before."""
    browser = await logged_in(web)
    page = (await browser.get("/")).json.decode()
    named = re.findall(r'<link rel="modulepreload" href="/static/[0-9a-f]+/([^"]+)">', page)
    scripts = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.js")}

    # Entry points are named elsewhere: the scripts of the two pages, and the workers.
    assert set(named) == scripts - {"js/main.js", "js/login.js", "js/stream/worker.js", "service_worker.js"}
    assert len(named) == len(set(named))
