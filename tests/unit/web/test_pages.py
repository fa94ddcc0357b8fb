"""The page and its files: how they are packed, named and kept."""

import gzip
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

import wakeful.web
from wakeful.web.pages import PageRoutes
from wakeful.web.static_files import StaticFiles

PAGES = PageRoutes(has_password=True)


def asked(path: dict[str, str] | None = None, **headers: str) -> Request:
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": given, "path_params": path or {}})


def body_of(response: Response) -> bytes:
    packed = response.headers.get("content-encoding") == "gzip"
    return gzip.decompress(bytes(response.body)) if packed else bytes(response.body)


@pytest.mark.parametrize(
    ("offer", "is_packed"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("deflate,gzip ; q=0.01", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("x-gzip", False),
    ],
)
async def test_a_page_is_packed_for_those_who_take_it(offer: str, is_packed: bool) -> None:
    plain, page = await PAGES.page(asked()), await PAGES.page(asked(accept_encoding=offer))

    assert ("content-encoding" in page.headers) is is_packed
    assert (page.headers["etag"] == plain.headers["etag"]) is not is_packed
    assert body_of(page) == plain.body
    assert (page.headers["vary"], page.headers["cache-control"]) == ("accept-encoding", "no-cache")


@pytest.mark.parametrize("known", ["{etag}", "W/{etag}", '"other", {etag}', '"other",W/{etag} '])
async def test_a_page_that_a_browser_has_is_not_sent_again(known: str) -> None:
    page = await PAGES.page(asked())

    again = await PAGES.page(asked(if_none_match=known.format(etag=page.headers["etag"])))

    assert (again.status_code, again.body, again.headers["etag"]) == (304, b"", page.headers["etag"])
    assert (await PAGES.page(asked(if_none_match='"other"'))).status_code == 200
    assert (await PAGES.login(asked(if_none_match=page.headers["etag"]))).status_code == 200


async def test_a_file_is_kept_for_ever_under_the_digest_of_all() -> None:
    digest = StaticFiles(Path(wakeful.web.__file__).parent / "static").digest
    page = (await PAGES.page(asked())).body

    file = await PAGES.file(asked({"digest": digest, "path": "js/main.js"}))

    assert f"/static/{digest}/js/main.js".encode() in bytes(page)
    assert b"{{" not in bytes(page)
    assert (file.headers["content-type"], file.headers["cache-control"]) == (
        "text/javascript; charset=utf-8",
        "public, max-age=31536000, immutable",
    )
    assert "service-worker-allowed" not in file.headers
    worker = await PAGES.file(asked({"digest": digest, "path": "service_worker.js"}))
    assert worker.headers["service-worker-allowed"] == "/"
    for wrong in ({"digest": "old", "path": "js/main.js"}, {"digest": digest, "path": "../pages.py"}):
        with pytest.raises(HTTPException):
            await PAGES.file(asked(wrong))


async def test_the_login_page_asks_for_a_password_only_where_there_is_one() -> None:
    page, without = [bytes((await PageRoutes(has_password=has).login(asked())).body) for has in (True, False)]

    assert b'type="password"' in page
    assert b'type="password"' not in without


async def test_the_icon_is_a_picture() -> None:
    assert (await PAGES.icon(asked())).headers["content-type"] == "image/svg+xml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "main.js").write_text('import { a } from "./a.js";\nimport "../b.js";\n')
    (tmp_path / "js" / "a.js").write_text('export { b } from "../b.js";\nimport "./main.js";\n')
    (tmp_path / "b.js").write_text("export const b = 1; // " + "words " * 50)
    (tmp_path / "tiny.css").write_text("a{}")
    (tmp_path / "icon.png").write_bytes(b"\x89PNG" + b"\0" * 500)
    (tmp_path / "notes.txt").write_text("not served")
    (tmp_path / "page.html").write_text(
        "<!-- key -->with a key<!-- /key -->\n<!-- word -->with a word<!-- /word -->\n{{modules}} {{static}}/tiny.css"
    )
    return tmp_path


def test_a_page_loads_every_module_that_its_script_needs_once(folder: Path) -> None:
    files = StaticFiles(folder, leave_out=("key",))

    assert files.modules == ["js/a.js", "b.js"]
    page = files.pages["page.html"].body.decode()
    assert page.splitlines() == [
        "<!-- word -->with a word<!-- /word -->",
        f'<link rel="modulepreload" href="/static/{files.digest}/js/a.js">',
        f'  <link rel="modulepreload" href="/static/{files.digest}/b.js"> /static/{files.digest}/tiny.css',
    ]


def test_files_are_packed_where_that_makes_them_smaller(folder: Path) -> None:
    files = StaticFiles(folder).files

    assert set(files) == {"b.js", "icon.png", "js/a.js", "js/main.js", "page.html", "tiny.css"}
    assert {path for path, file in files.items() if file.gzipped is not None} >= {"b.js", "page.html"}
    assert files["tiny.css"].gzipped is files["icon.png"].gzipped is None
    assert files["b.js"].mark != files["js/a.js"].mark


def test_a_change_of_any_file_or_name_changes_the_digest(folder: Path) -> None:
    digests = [StaticFiles(folder).digest, StaticFiles(folder).digest]
    (folder / "b.js").write_text("export const b = 2;")
    digests.append(StaticFiles(folder).digest)
    (folder / "tiny.css").rename(folder / "small.css")
    digests.append(StaticFiles(folder).digest)

    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
