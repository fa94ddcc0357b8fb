"""Declared types read what fits them, and refuse the rest with a sentence that names the field."""

from typing import Annotated, Any, ClassVar, Literal

import pytest
from msgspec import Meta, field

from wakeful.wire.declared import Incoming, Switch, among, says, words
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read, read_texts


class Circle(Incoming):
    type: Literal["circle"]
    radius: Annotated[float, Meta(ge=0, le=2)]


class Label(Incoming):
    type: Literal["label", "title"] = "label"
    text: Annotated[str, Meta(max_length=5)]


Figure = Annotated[Circle | Label, words("Something to draw.")]


class Drawing(Incoming, rename={"from_": "from"}):
    name: Annotated[str, Meta(min_length=1, max_length=3, pattern="^[a-z]*$")]
    copies: Annotated[int, Meta(ge=1, le=9)] = 1
    is_kept: bool = True
    from_: Annotated[str, among(("hand", "file"))] = "hand"
    figures: list[Figure] = field(default_factory=list)
    first: Annotated[Figure | str | None, says("{} must be a figure, or the name of one.", covers_inside=True)] = None
    weights: dict[str, Annotated[float, Meta(ge=0, le=1)] | None] = field(default_factory=dict)


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
        ({"copies": True}, "copies", "copies must be a whole number from 1 to 9."),
        ({"copies": "1"}, "copies", "copies must be a whole number from 1 to 9."),
        ({"copies": 1.5}, "copies", "copies must be a whole number from 1 to 9."),
        ({"is_kept": 1}, "is_kept", "is_kept must be true or false."),
        ({"from": "air"}, "from", "from must be one of hand, file."),
        ({"from": ["hand"]}, "from", "from must be one of hand, file."),
        ({"figures": {}}, "figures", "figures must be a list."),
        ({"figures": [7]}, "figures[0]", "figures[0] must be an object."),
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
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], param: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read(Drawing, given if "name" in given or not given else {"name": "a", **given})

    assert (refused.value.param, str(refused.value)) == (param, sentence)


class Change(Incoming):
    name: Annotated[str | None, says(missing="{} must be given: it takes the place of what there was.")]

    no_others: ClassVar[str] = "{} cannot be changed: name can."


def test_a_field_that_may_be_null_may_still_have_to_be_given() -> None:
    assert read(Change, {"name": None}).name is None

    with pytest.raises(InvalidRequest, match="name must be given: it takes the place of what there was"):
        read(Change, {})


def test_a_type_may_refuse_fields_that_it_does_not_name() -> None:
    with pytest.raises(InvalidRequest, match="owner cannot be changed: name can") as refused:
        read(Change, {"name": "a", "owner": "b"})

    assert refused.value.param == "owner"


def test_the_texts_of_a_query_become_values() -> None:
    page = read_texts(Page, {"limit": "7", "size": "-900", "is_live": "TRUE", "is_short": "1", "other": "x"})

    assert page == Page(limit=7, size=1, is_live=True, is_short=True)
    assert read_texts(Page, {"size": "", "is_short": ""}) == Page()


def test_zeros_in_front_of_a_number_do_not_change_it() -> None:
    zeros = "0" * 30

    assert read_texts(Page, {"limit": zeros + "7"}).limit == 7
    assert read_texts(Page, {"size": zeros + "9" * 30}).size == read_texts(Page, {"size": "9" * 30}).size
    assert read_texts(Page, {"size": "-" + zeros + "9"}).size == 1


@pytest.mark.parametrize("given", [{"limit": ""}, {"limit": "1.0"}, {"limit": "101"}, {"is_live": "1"}, {"size": "x"}])
def test_a_text_that_stands_for_no_value_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_texts(Page, given)

    assert refused.value.param == next(iter(given))
