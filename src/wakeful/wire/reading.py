"""Reads a request into its declared type, or refuses it with one sentence that names the field."""

from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType
from typing import Any, TypeVar, Union

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo

from wakeful.wire.declared import Shape, is_enum, is_struct, shape_of, tag_of
from wakeful.wire.values import (
    UnfitError,
    ValueReader,
    bounds,
    choice_reader,
    flag_reader,
    number_reader,
    refused,
    sentence_of,
    text_reader,
    whole_reader,
)

T = TypeVar("T", bound=Struct)

_SWITCHES = {"1": True, "true": True, "0": False, "false": False}
# Without zeros in front. Longer numbers are out of every range, and slow to parse.
_DIGITS = 20


def read(kind: type[T], given: Mapping[str, Any]) -> T:
    """Read a JSON object. Raises InvalidRequest."""
    try:
        made: T = _struct_reader(kind)(given)
    except UnfitError as error:
        raise error.refusal() from error
    return made


def read_texts(kind: type[T], given: Mapping[str, str]) -> T:
    """Read a query or headers, where every value is a text. Raises InvalidRequest."""
    return read(kind, {name: _parsed(shape, given[name]) for name, shape in _shapes(kind).items() if name in given})


@cache
def _shapes(kind: type[Struct]) -> Mapping[str, Shape]:
    return {field.encode_name: shape_of(field.type) for field in msgspec.structs.fields(kind)}


def _parsed(shape: Shape, text: str) -> Any:
    """Return the value that the text stands for, or the text itself, which the reader then refuses."""
    if not text and (shape.says.clamped or shape.says.is_switch):
        return None
    if shape.base is bool:
        known = _SWITCHES.get(text if shape.says.is_switch else text.lower())
        return text if known is None or (text in ("0", "1") and not shape.says.is_switch) else known
    digits = text.removeprefix("-")
    if shape.base is int and digits.isdecimal() and digits.isascii():
        number = int(digits.lstrip("0")[:_DIGITS] or "0")
        return number if digits == text else -number
    return text


@cache
def _struct_reader(kind: type[Struct], unfit: str = "") -> ValueReader:
    sentence = unfit or "{} must be an object."
    fields = msgspec.structs.fields(kind)
    # A field's reader is called only with values that are not null, so it need not check for null again.
    readers = {field.encode_name: (field.name, _reader(shape_of(field.type), is_given=True)) for field in fields}
    needed = {field.name: field for field in fields if field.required}
    look_up = readers.get
    no_others: str = getattr(kind, "no_others", "")

    def read_struct(given: Any) -> Any:
        if type(given) is not dict:
            raise UnfitError(sentence)
        values: dict[str, Any] = {}
        key = ""
        try:
            for key, value in given.items():
                if value is not None and (found := look_up(key)) is not None:
                    values[found[0]] = found[1](value)
        except UnfitError as error:
            error.within(f".{key}")
            raise
        if no_others and given.keys() - readers.keys():
            raise UnfitError(no_others).within(f".{min(given.keys() - readers.keys())}")
        for name in needed:
            if name not in values:
                values[name] = _value_left_out(given, needed[name])
        return kind(**values)

    return read_struct


def _value_left_out(given: Mapping[str, Any], field: FieldInfo) -> Any:
    """Return None for a required field that may be null, or refuse it. One with a `missing` sentence must be sent."""
    key, shape = field.encode_name, shape_of(field.type)
    if shape.says.missing and key not in given:
        raise UnfitError(shape.says.missing).within(f".{key}")
    try:
        return _reader(shape)(None)
    except UnfitError as error:
        error.within(f".{key}")
        raise


def _reader(shape: Shape, *, is_given: bool = False) -> ValueReader:
    read_value = _checked(shape, _bare_reader(shape))
    if shape.says.covers_inside:
        read_value = _covered(read_value, sentence_of(shape))
    return _or_none(read_value) if shape.is_nullable and not is_given else read_value


def _or_none(read_value: ValueReader) -> ValueReader:
    return lambda given: None if given is None else read_value(given)


def _checked(shape: Shape, read_value: ValueReader) -> ValueReader:
    check, sentence = shape.says.check, sentence_of(shape)
    if check is None:
        return read_value

    def read_checked(given: Any) -> Any:
        value = read_value(given)
        if not check(value):
            raise UnfitError(sentence)
        return value

    return read_checked


def _covered(read_value: ValueReader, sentence: str) -> ValueReader:
    def read_covered(given: Any) -> Any:
        try:
            return read_value(given)
        except UnfitError as error:
            raise UnfitError(sentence) from error

    return read_covered


def _bare_reader(shape: Shape) -> ValueReader:
    base = shape.base
    if base is Any:
        return lambda given: given
    if base is NoneType:
        return refused(sentence_of(shape))
    if base is Union:
        return _union_reader(shape)
    if is_struct(base):
        return _tagged_reader(shape, (base,)) if shape.says.unknown else _struct_reader(base, shape.says.unfit)
    if shape.choices:
        return choice_reader(shape, {value: base(value) if is_enum(base) else value for value in shape.choices})
    return _READERS[base](shape)


def _list_reader(shape: Shape) -> ValueReader:
    sentence, (low, high) = sentence_of(shape), bounds(shape, "min_length", "max_length")
    read_item = _reader(shape_of(shape.args[0]))

    def read_list(given: Any) -> Any:
        if type(given) is not list or not low <= len(given) <= high:
            raise UnfitError(sentence)
        made: list[Any] = []
        try:
            for item in given:
                made.append(read_item(item))
        except UnfitError as error:
            error.within(f"[{len(made)}]")
            raise
        return made

    return read_list


def _mapping_reader(shape: Shape) -> ValueReader:
    sentence, (_, high) = sentence_of(shape), bounds(shape, "min_length", "max_length")
    read_key, read_value = (_reader(shape_of(arg)) for arg in shape.args)

    def read_mapping(given: Any) -> Any:
        if type(given) is not dict or len(given) > high:
            raise UnfitError(sentence)
        made = {}
        for key, value in given.items():
            try:
                made[read_key(key)] = read_value(value)
            except UnfitError as error:
                error.within(f".{key}")
                raise
        return made

    return read_mapping


def _union_reader(shape: Shape) -> ValueReader:
    """Choose the member of the union by the JSON type of the value, and among objects by their tag."""
    sentence = sentence_of(shape)
    members = [shape_of(member) for member in shape.args]
    structs = tuple(member.base for member in members if is_struct(member.base))
    if len(structs) == len(members):
        return _tagged_reader(shape, structs)
    readers = {_JSON_KIND.get(m.base, str): _reader(m) for m in members if not is_struct(m.base)}
    if structs:
        readers[dict] = _tagged_reader(shape, structs) if len(structs) > 1 else _struct_reader(structs[0])

    def read_union(given: Any) -> Any:
        read_member = readers.get(type(given))
        if read_member is None:
            raise UnfitError(sentence)
        return read_member(given)

    return read_union


def _tagged_reader(shape: Shape, kinds: tuple[type[Struct], ...]) -> ValueReader:
    said, tag_name = shape.says, tag_of(kinds)
    by_tag = {tag: _struct_reader(kind) for kind in kinds for tag in _tags(kind, tag_name)}
    known = f"{{}} must be one of {', '.join(tag for tag in by_tag if tag is not None)}."

    def read_tagged(given: Any) -> Any:
        if type(given) is not dict:
            raise UnfitError(said.unfit or "{} must be an object.")
        tag = given.get(tag_name)
        if tag is None and said.untagged is not None:
            tag = said.untagged(given)
        read_kind = by_tag.get(tag) if tag is None or isinstance(tag, str) else None
        if read_kind is not None:
            return read_kind(given)
        if said.unknown or said.unfit:
            raise UnfitError(said.unknown.replace("{tag}", repr(tag)) or said.unfit)
        raise UnfitError(known).within(f".{tag_name}")

    return read_tagged


def _tags(kind: type[Struct], tag_name: str) -> list[str | None]:
    """Return the tags of a kind, and None if its tag may be left out."""
    field = next(field for field in msgspec.structs.fields(kind) if field.name == tag_name)
    return [*shape_of(field.type).args, *([] if field.required else [None])]


_READERS: Mapping[type, Callable[[Shape], ValueReader]] = {
    bool: flag_reader,
    str: text_reader,
    int: whole_reader,
    float: number_reader,
    list: _list_reader,
    dict: _mapping_reader,
}
# The JSON type of a union's member; a nested union stands for objects of several kinds.
_JSON_KIND: Mapping[Any, type] = {list: list, dict: dict, int: int, bool: bool, Union: dict}
