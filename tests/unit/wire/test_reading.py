"""Declared types read what fits them, and refuse the rest with a sentence that names the field."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

import pytest
from msgspec import Meta, field

from wakeful.wire import reading
from wakeful.wire.declared import Incoming, Switch, among, says, words
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read, read_texts


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    """Each test makes the readers of its types, which are otherwise made once: it fails if one is made wrong."""
    reading._struct_reader.cache_clear()
    reading._shapes.cache_clear()


class Circle(Incoming):
    id: str = ""
    type: Literal["circle"]
    radius: Annotated[float, Meta(ge=0, le=2)]


class Label(Incoming):
    id: str = ""
    type: Literal["label", "title"] = "label"
    text: Annotated[str, Meta(max_length=5)]


Figure = Annotated[Circle | Label, words("Something to draw.")]


class Point(Incoming):
    x: int


class Speed(StrEnum):
    LOW = "low"
    HIGH = "high"


class Drawing(Incoming, rename={"from_": "from"}):
    name: Annotated[str, Meta(min_length=1, max_length=3, pattern="^[a-z]*$")]
    copies: Annotated[int, Meta(ge=1, le=9)] = 1
    is_kept: bool = True
    from_: Annotated[str, among(("hand", "file"))] = "hand"
    figures: Annotated[list[Figure], Meta(max_length=3)] = field(default_factory=list)
    first: Annotated[Figure | str | None, says("{} must be a figure, or the name of one.", covers_inside=True)] = None
    weights: Annotated[
        dict[Annotated[str, Meta(max_length=2)], Annotated[float, Meta(ge=0, le=1)] | None], Meta(max_length=2)
    ] = field(default_factory=dict)
    point: Point | None = None
    size: str | list[str] | Point | bool = False
    speed: Speed = Speed.LOW
    shape: Annotated[Circle | None, says(unknown="{} is of the kind {tag}, and not a circle.")] = None
    even: Annotated[int | None, says("{} must be divisible by two.", check=lambda number: number % 2 == 0)] = None
    note: Any = None
    old: Annotated[None, says("There is no {} any more.")] = None


class Page(Incoming):
    limit: Annotated[int, Meta(ge=1, le=100)] = 20
    size: Annotated[int, says(clamped=(1, 200), unfit="{} must be a whole number.")] = 50
    is_live: bool = False
    is_short: Switch = False


def test_what_is_left_out_null_or_unknown_leaves_the_defaults() -> None:
    drawing = read(Drawing, {"name": "abc", "copies": None, "unknown": {"a": 1}})

    assert drawing == Drawing(name="abc")
    assert (drawing.copies, drawing.is_kept, drawing.from_) == (1, True, "hand")


def test_objects_are_distinguished_by_their_tag_which_may_have_a_default() -> None:
    figures = [{"type": "circle", "radius": 1}, {"text": "a"}, {"type": "title", "text": "b"}]

    drawing = read(Drawing, {"name": "a", "figures": figures, "first": figures[0]})

    assert drawing.first == Circle(type="circle", radius=1)
    assert drawing.figures == [Circle(type="circle", radius=1), Label(text="a"), Label(type="title", text="b")]


@pytest.mark.parametrize(
    ("key", "given", "read_as"),
    [
        ("name", "abc", "abc"),
        ("copies", 1, 1),
        ("copies", 9, 9),
        ("is_kept", False, False),
        ("from", "file", "file"),
        ("first", "this", "this"),
        ("weights", {"aa": 0, "b": 1}, {"aa": 0, "b": 1}),
        ("weights", {"a": None}, {"a": None}),
        ("point", {"x": -5}, Point(x=-5)),
        ("size", "large", "large"),
        ("size", ["a", "b"], ["a", "b"]),
        ("size", {"x": 1}, Point(x=1)),
        ("size", True, True),
        ("speed", "high", Speed.HIGH),
        ("shape", {"type": "circle", "radius": 2}, Circle(type="circle", radius=2)),
        ("even", 4, 4),
        ("note", [1, {"a": None}], [1, {"a": None}]),
    ],
)
def test_what_fits_is_read_as_it_was_sent(key: str, given: Any, read_as: Any) -> None:
    drawing = read(Drawing, {"name": "a", key: given})

    assert getattr(drawing, "from_" if key == "from" else key) == read_as


class Dot(Incoming):
    id: str = ""
    type: Literal["dot"] = "dot"
    x: int = 0


class Text(Incoming):
    id: str = ""
    type: Literal["text"] = "text"
    x: int = 0


class Board(Incoming):
    item: Annotated[Dot | Text, says(untagged=lambda given: "dot" if "x" in given else "text")]


def test_the_kind_of_an_object_that_names_none_may_follow_from_its_fields() -> None:
    assert read(Board, {"item": {"x": 1}}).item == Dot(x=1)
    assert read(Board, {"item": {}}).item == Text()
    assert read(Board, {"item": {"type": "text", "x": 1}}).item == Text(x=1)


class Limits(Incoming):
    least: Annotated[int, Meta(ge=2)] = 2
    share: Annotated[float, Meta(ge=0.5)] = 1
    large: Annotated[int, Meta(ge=0, le=2**53)] = 0
    word: Annotated[str, Meta(min_length=1)] = "a"
    code: Annotated[str, Meta(pattern="^a$")] = "a"
    inner: Annotated[Annotated[int, Meta(ge=0, le=9)] | None, Meta(le=5)] = None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"least": 1}, "least must be a whole number, 2 or more."),
        ({"share": 0.4}, "share must be a number, 0.5 or more."),
        ({"large": -1}, "large must be a whole number from 0 to 9007199254740992."),
        ({"word": ""}, "word must be a text that is not empty."),
        ({"code": "b"}, "code must be a text."),
        ({"inner": 6}, "inner must be a whole number from 0 to 5."),
        ({"inner": -1}, "inner must be a whole number from 0 to 5."),
    ],
)
def test_a_limit_may_be_on_one_side_and_the_outer_one_counts(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read(Limits, given)

    assert str(refused.value) == sentence
    most = {"least": 10**9, "share": 1e9, "word": "a" * 999, "code": "a", "inner": 5}
    assert read(Limits, most) == Limits(least=10**9, share=1e9, word="a" * 999, code="a", inner=5)


def test_a_whole_number_may_be_written_as_a_fraction_and_a_number_stays_as_it_was_written() -> None:
    drawing = read(Drawing, {"name": "a", "copies": 2.0, "figures": [{"type": "circle", "radius": 1}]})

    assert repr(drawing.copies) == "2"
    assert isinstance(drawing.figures[0], Circle)
    assert repr(drawing.figures[0].radius) == "1"


@pytest.mark.parametrize(
    ("given", "param", "sentence"),
    [
        ({}, "name", "name must be a text of 1 to 3 characters."),
        ({"name": None}, "name", "name must be a text of 1 to 3 characters."),
        ({"name": "abcd"}, "name", "name must be a text of 1 to 3 characters."),
        ({"name": "ab\n"}, "name", "name must be a text of 1 to 3 characters."),
        ({"name": ""}, "name", "name must be a text of 1 to 3 characters."),
        ({"name": "A"}, "name", "name must be a text of 1 to 3 characters."),
        ({"name": 7}, "name", "name must be a text of 1 to 3 characters."),
        ({"copies": 0}, "copies", "copies must be a whole number from 1 to 9."),
        ({"copies": 10}, "copies", "copies must be a whole number from 1 to 9."),
        ({"copies": True}, "copies", "copies must be a whole number from 1 to 9."),
        ({"copies": "1"}, "copies", "copies must be a whole number from 1 to 9."),
        ({"copies": 1.5}, "copies", "copies must be a whole number from 1 to 9."),
        ({"is_kept": 1}, "is_kept", "is_kept must be true or false."),
        ({"from": "air"}, "from", "from must be one of hand, file."),
        ({"from": ["hand"]}, "from", "from must be one of hand, file."),
        ({"figures": {}}, "figures", "figures must be a list."),
        ({"figures": [7]}, "figures[0]", "figures[0] must be an object."),
        (
            {"figures": [{"type": ["circle"]}]},
            "figures[0].type",
            "figures[0].type must be one of circle, label, title.",
        ),
        ({"figures": [{"text": "a"}] * 4}, "figures", "figures must be a list."),
        (
            {"figures": [{"text": "abcdef"}]},
            "figures[0].text",
            "figures[0].text must be a text of at most 5 characters.",
        ),
        ({"figures": [None]}, "figures[0]", "figures[0] must be an object."),
        (
            {"figures": [{"text": "a"}, {"type": "square"}]},
            "figures[1].type",
            "figures[1].type must be one of circle, label, title.",
        ),
        (
            {"figures": [{"type": "circle", "radius": 3}]},
            "figures[0].radius",
            "figures[0].radius must be a number from 0 to 2.",
        ),
        ({"first": {"type": "circle"}}, "first", "first must be a figure, or the name of one."),
        ({"first": 7}, "first", "first must be a figure, or the name of one."),
        ({"weights": {"a": None, "b": 2}}, "weights.b", "weights.b must be a number from 0 to 1."),
        ({"weights": {"a": True}}, "weights.a", "weights.a must be a number from 0 to 1."),
        ({"weights": {"a": "1"}}, "weights.a", "weights.a must be a number from 0 to 1."),
        ({"weights": {"a": -0.1}}, "weights.a", "weights.a must be a number from 0 to 1."),
        ({"weights": {"abc": 1}}, "weights.abc", "weights.abc must be a text of at most 2 characters."),
        ({"weights": {"a": 1, "b": 1, "c": 1}}, "weights", "weights must be an object."),
        ({"weights": []}, "weights", "weights must be an object."),
        ({"point": {}}, "point.x", "point.x must be a whole number."),
        ({"point": {"x": {}}}, "point.x", "point.x must be a whole number."),
        ({"point": 7}, "point", "point must be an object."),
        ({"size": 7}, "size", "size must be a text or a list or an object or true or false."),
        ({"size": [7]}, "size[0]", "size[0] must be a text."),
        ({"size": {"x": "1"}}, "size.x", "size.x must be a whole number."),
        ({"speed": "slow"}, "speed", "speed must be one of low, high."),
        ({"shape": {"type": "square"}}, "shape", "shape is of the kind 'square', and not a circle."),
        ({"shape": {}}, "shape", "shape is of the kind None, and not a circle."),
        ({"shape": {"type": "circle"}}, "shape.radius", "shape.radius must be a number from 0 to 2."),
        ({"even": 3}, "even", "even must be divisible by two."),
        ({"even": "2"}, "even", "even must be divisible by two."),
        ({"old": "x"}, "old", "There is no old any more."),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], param: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read(Drawing, given if "name" in given or not given else {"name": "a", **given})

    assert (refused.value.param, str(refused.value)) == (param, sentence)


class Change(Incoming):
    name: Annotated[
        Annotated[str, Meta(max_length=3), says("{} must be short.")] | None,
        says(missing="{} must be given: it takes the place of what there was."),
    ]

    no_others: ClassVar[str] = "{} cannot be changed: name can."


def test_a_field_that_may_be_null_may_still_have_to_be_given() -> None:
    assert read(Change, {"name": None}).name is None

    with pytest.raises(InvalidRequest, match="name must be given: it takes the place of what there was"):
        read(Change, {})
    with pytest.raises(InvalidRequest, match="name must be short"):
        read(Change, {"name": "long"})


def test_a_type_may_refuse_fields_that_it_does_not_name() -> None:
    with pytest.raises(InvalidRequest, match="owner cannot be changed: name can") as refused:
        read(Change, {"name": "a", "owner": "b"})

    assert refused.value.param == "owner"


def test_the_texts_of_a_query_become_values() -> None:
    page = read_texts(Page, {"limit": "7", "size": "-900", "is_live": "TRUE", "is_short": "1", "other": "x"})

    assert page == Page(limit=7, size=1, is_live=True, is_short=True)
    assert read_texts(Page, {"size": "", "is_short": ""}) == Page()


@pytest.mark.parametrize(
    ("given", "page"),
    [
        ({"is_short": "0"}, Page(is_short=False)),
        ({"is_short": "1"}, Page(is_short=True)),
        ({"is_short": "false"}, Page(is_short=False)),
        ({"is_short": "true"}, Page(is_short=True)),
        ({"is_live": "False"}, Page(is_live=False)),
        ({"limit": "100"}, Page(limit=100)),
        ({"size": "1"}, Page(size=1)),
        ({"size": "200"}, Page(size=200)),
        ({"size": "201"}, Page(size=200)),
        ({"size": "0"}, Page(size=1)),
    ],
)
def test_a_text_stands_for_a_value(given: dict[str, str], page: Page) -> None:
    assert read_texts(Page, given) == page


def test_zeros_in_front_of_a_number_do_not_change_it() -> None:
    zeros = "0" * 30

    assert read_texts(Page, {"limit": zeros + "7"}).limit == 7
    assert read_texts(Page, {"size": zeros + "9" * 30}).size == read_texts(Page, {"size": "9" * 30}).size
    assert read_texts(Page, {"size": "-" + zeros + "9"}).size == 1


@pytest.mark.parametrize(
    "given",
    [
        *({"limit": text} for text in ("", "1.0", "101", "0", "-1", "1" + "0" * 30, "\u0661", "--1")),
        *({"is_live": text} for text in ("1", "0", "", "yes")),
        *({"is_short": text} for text in ("TRUE", "2")),
        {"size": "x"},
    ],
)
def test_a_text_that_stands_for_no_value_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_texts(Page, given)

    assert refused.value.param == next(iter(given))
