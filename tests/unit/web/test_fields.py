"""Fields that many requests share: what they take at their limits, and what they refuse."""

from pathlib import Path
from typing import Annotated, Any

import pytest

from wakeful.web.fields import DoorHeader, Folder, Id, MaybeId, MessageText, ModelId, SearchWords, Title, clamped
from wakeful.wire.declared import Incoming
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read, read_texts


class Given(Incoming):
    id: Id = "x"
    maybe: MaybeId = ""
    words: SearchWords = ""
    text: MessageText = "x"
    title: Title = ""
    model: ModelId = "x"
    folder: Folder = "/"
    limit: Annotated[int, clamped(1, 9)] = 5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", "x" * 200),
        ("maybe", ""),
        ("maybe", "x" * 200),
        ("words", "x" * 500),
        ("text", " \n."),
        ("title", "x" * 200),
        ("title", f"  {'x' * 200}\n"),
        ("model", "demo:wakeful"),
        ("folder", "/"),
    ],
)
def test_a_field_is_taken_up_to_its_limit(name: str, value: str) -> None:
    assert getattr(read(Given, {name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("id", "", "id must be a text of 1 to 200 characters."),
        ("id", "x" * 201, "id must be a text of 1 to 200 characters."),
        ("id", "a\0", "id must be a text of 1 to 200 characters."),
        ("maybe", "x" * 201, "maybe must be a text of at most 200 characters."),
        ("maybe", "\0", "maybe must be a text of at most 200 characters."),
        ("words", "x" * 501, "words must be a search text of at most 500 characters."),
        ("text", " \n", "text must be a non-empty text."),
        ("title", "x" * 201, "title must be a text of at most 200 characters."),
        ("title", "a\0", "title must be a text of at most 200 characters."),
        ("model", "  ", "model must be provider:model, as in demo:wakeful."),
        ("model", "a\0", "model must be provider:model, as in demo:wakeful."),
        ("folder", "src", "folder must be the absolute path of an existing folder."),
        ("folder", "/no/such/folder", "folder must be the absolute path of an existing folder."),
        ("folder", "/tmp\0", "folder must be the absolute path of an existing folder."),
        ("folder", "/" + "x" * 5_000, "folder must be the absolute path of an existing folder."),
        ("folder", __file__, "folder must be the absolute path of an existing folder."),
    ],
)
def test_a_field_beyond_its_limit_is_refused(name: str, value: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read(Given, {name: value})

    assert (str(refused.value), refused.value.param) == (sentence, name)


def test_a_relative_folder_is_refused_though_it_exists(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path)

    read(Given, {"folder": str(tmp_path / "here")})
    with pytest.raises(InvalidRequest):
        read(Given, {"folder": "here"})


@pytest.mark.parametrize(("text", "limit"), [("", 5), ("0", 1), ("1", 1), ("9", 9), ("10", 9), ("-3", 1)])
def test_a_number_out_of_range_is_moved_into_it(text: str, limit: int) -> None:
    assert read_texts(Given, {"limit": text}).limit == limit


@pytest.mark.parametrize(("headers", "door"), [({}, "web"), ({"X-Wakeful-Door": "terminal"}, "terminal")])
def test_a_client_is_the_page_unless_it_says_which_it_is(headers: dict[str, Any], door: str) -> None:
    assert read_texts(DoorHeader, headers).door == door
