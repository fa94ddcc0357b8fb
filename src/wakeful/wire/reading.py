"""Reads what a client sends into its declared type, or refuses it with one sentence and the name of the field."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from math import inf
from types import NoneType
from typing import Any, TypeVar, Union

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo

from wakeful.wire.declared import Shape, is_enum, is_struct, shape_of, tag_of
from wakeful.wire.errors import InvalidRequest

Reader = Callable[[Any], Any]
T = TypeVar("T", bound=Struct)

_SWITCHES = {"1": True, "true": True, "0": False, "false": False}
# More digits are out of every range, and slow to read.
_DIGITS = 20


def read(kind: type[T], given: Mapping[str, Any]) -> T:
    """Raises InvalidRequest."""
    try:
        made: T = _struct_reader(kind)(given)
    except _UnfitError as error:
        raise error.refusal() from error
    return made


def read_texts(kind: type[T], given: Mapping[str, str]) -> T:
    """Of a query or headers, where every value is a text. Raises InvalidRequest."""
    fields = [(field.encode_name, shape_of(field.type)) for field in msgspec.structs.fields(kind)]
    return read(kind, {name: _parsed(shape, given[name]) for name, shape in fields if name in given})


class _UnfitError(Exception):
    """The path grows from the unfit value outwards, so that what is fit costs nothing."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self._sentence = sentence
        self._path: list[str] = []

    def within(self, step: str) -> "_UnfitError":
        self._path.append(step)
        return self

    def refusal(self) -> InvalidRequest:
        where = "".join(reversed(self._path)).removeprefix(".")
        return InvalidRequest(self._sentence.replace("{}", where, 1), param=where)


def _parsed(shape: Shape, text: str) -> Any:
    """The value that a text stands for; the text itself where it stands for none, which is then refused."""
    if not text and (shape.says.clamped or shape.says.is_switch):
        return None
    if shape.base is bool:
        known = _SWITCHES.get(text if shape.says.is_switch else text.lower())
        return text if known is None or (text in ("0", "1") and not shape.says.is_switch) else known
    if shape.base is int and text.removeprefix("-").isdecimal() and text.isascii():
        return int(text[:_DIGITS])
    return text


@cache
def _struct_reader(kind: type[Struct], unfit: str = "") -> Reader:
    sentence = unfit or "{} must be an object."
    fields = msgspec.structs.fields(kind)
    # A field is read where it is given and not null: then its reader need not look for null again.
    readers = {field.encode_name: (field.name, _reader(shape_of(field.type), is_given=True)) for field in fields}
    needed = {field.name: field for field in fields if field.required}
    look_up = readers.get
    no_others: str = getattr(kind, "no_others", "")

    def read_struct(given: Any) -> Any:
        if type(given) is not dict:
            raise _UnfitError(sentence)
        values: dict[str, Any] = {}
        key = ""
        try:
            for key, value in given.items():
                if value is not None and (found := look_up(key)) is not None:
                    values[found[0]] = found[1](value)
        except _UnfitError as error:
            error.within(f".{key}")
            raise
        if no_others and given.keys() - readers.keys():
            raise _UnfitError(no_others).within(f".{min(given.keys() - readers.keys())}")
        if not needed.keys() <= values.keys():
            values |= {name: _left_out(given, field) for name, field in needed.items() if name not in values}
        return kind(**values)

    return read_struct


def _left_out(given: Mapping[str, Any], field: FieldInfo) -> Any:
    """A required field that may be null has to be given all the same."""
    key, shape = field.encode_name, shape_of(field.type)
    if shape.says.missing and key not in given:
        raise _UnfitError(shape.says.missing).within(f".{key}")
    try:
        return _reader(shape)(None)
    except _UnfitError as error:
        error.within(f".{key}")
        raise


def _reader(shape: Shape, *, is_given: bool = False) -> Reader:
    read_value = _checked(shape, _bare_reader(shape))
    if shape.says.covers_inside:
        read_value = _covered(read_value, _sentence(shape))
    return _or_none(read_value) if shape.is_nullable and not is_given else read_value


def _or_none(read_value: Reader) -> Reader:
    return lambda given: None if given is None else read_value(given)


def _checked(shape: Shape, read_value: Reader) -> Reader:
    check, sentence = shape.says.check, _sentence(shape)
    if check is None:
        return read_value

    def read_checked(given: Any) -> Any:
        value = read_value(given)
        if not check(value):
            raise _UnfitError(sentence)
        return value

    return read_checked


def _covered(read_value: Reader, sentence: str) -> Reader:
    def read_covered(given: Any) -> Any:
        try:
            return read_value(given)
        except _UnfitError as error:
            raise _UnfitError(sentence) from error

    return read_covered


def _bare_reader(shape: Shape) -> Reader:
    base = shape.base
    if base is Any:
        return lambda given: given
    if base is NoneType:
        return _refused(_sentence(shape))
    if base is Union:
        return _union_reader(shape)
    if is_struct(base):
        return _tagged_reader(shape, (base,)) if shape.says.unknown else _struct_reader(base, shape.says.unfit)
    if shape.choices:
        return _choice_reader(shape, {value: base(value) if is_enum(base) else value for value in shape.choices})
    return _READERS[base](shape)


def _refused(sentence: str) -> Reader:
    """Of a field that clients know and that has no meaning here: null is all that it may be."""

    def refuse(given: Any) -> Any:
        raise _UnfitError(sentence)

    return refuse


def _choice_reader(shape: Shape, choices: Mapping[str, Any]) -> Reader:
    sentence = _sentence(shape)

    def read_choice(given: Any) -> Any:
        if not isinstance(given, str) or given not in choices:
            raise _UnfitError(sentence)
        return choices[given]

    return read_choice


def _flag_reader(shape: Shape) -> Reader:
    sentence = _sentence(shape)

    def read_flag(given: Any) -> Any:
        if not isinstance(given, bool):
            raise _UnfitError(sentence)
        return given

    return read_flag


def _text_reader(shape: Shape) -> Reader:
    sentence, (low, high) = _sentence(shape), _bounds(shape, "min_length", "max_length")
    pattern = shape.limit("pattern")
    # JSON Schema means the end of the text, where Python's $ also means a line break at the end.
    matches = None if pattern is None else re.compile(re.sub(r"\$$", r"\\Z", pattern)).search
    is_any = matches is None and (low, high) == (-inf, inf)

    def read_text(given: Any) -> Any:
        if type(given) is not str or not (is_any or low <= len(given) <= high):
            raise _UnfitError(sentence)
        if matches is not None and not matches(given):
            raise _UnfitError(sentence)
        return given

    return read_text


def _whole_reader(shape: Shape) -> Reader:
    sentence, clamped, (low, high) = _sentence(shape), shape.says.clamped, _bounds(shape, "ge", "le")

    def read_whole(given: Any) -> Any:
        if isinstance(given, float) and given.is_integer():
            # In JSON 1.0 is a whole number.
            given = int(given)
        if isinstance(given, bool) or not isinstance(given, int):
            raise _UnfitError(sentence)
        if clamped is not None:
            return max(clamped[0], min(clamped[1], given))
        if not low <= given <= high:
            raise _UnfitError(sentence)
        return given

    return read_whole


def _number_reader(shape: Shape) -> Reader:
    sentence, (low, high) = _sentence(shape), _bounds(shape, "ge", "le")

    def read_number(given: Any) -> Any:
        if isinstance(given, bool) or not isinstance(given, int | float) or not low <= given <= high:
            raise _UnfitError(sentence)
        return given

    return read_number


def _list_reader(shape: Shape) -> Reader:
    sentence, (low, high) = _sentence(shape), _bounds(shape, "min_length", "max_length")
    read_item = _reader(shape_of(shape.args[0]))

    def read_list(given: Any) -> Any:
        if type(given) is not list or not low <= len(given) <= high:
            raise _UnfitError(sentence)
        made: list[Any] = []
        try:
            for item in given:
                made.append(read_item(item))
        except _UnfitError as error:
            error.within(f"[{len(made)}]")
            raise
        return made

    return read_list


def _mapping_reader(shape: Shape) -> Reader:
    sentence, (_, high) = _sentence(shape), _bounds(shape, "min_length", "max_length")
    read_key, read_value = (_reader(shape_of(arg)) for arg in shape.args)

    def read_mapping(given: Any) -> Any:
        if type(given) is not dict or len(given) > high:
            raise _UnfitError(sentence)
        made = {}
        for key, value in given.items():
            try:
                made[read_key(key)] = read_value(value)
            except _UnfitError as error:
                error.within(f".{key}")
                raise
        return made

    return read_mapping


def _union_reader(shape: Shape) -> Reader:
    """JSON has few kinds of values: which member it is follows from that, and of objects from their tag."""
    sentence = _sentence(shape)
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
            raise _UnfitError(sentence)
        return read_member(given)

    return read_union


def _tagged_reader(shape: Shape, kinds: tuple[type[Struct], ...]) -> Reader:
    said, tag_name = shape.says, tag_of(kinds)
    by_tag = {tag: _struct_reader(kind) for kind in kinds for tag in _tags(kind, tag_name)}
    known = f"{{}} must be one of {', '.join(tag for tag in by_tag if tag is not None)}."

    def read_tagged(given: Any) -> Any:
        if type(given) is not dict:
            raise _UnfitError(said.unfit or "{} must be an object.")
        tag = given.get(tag_name)
        if tag is None and said.untagged is not None:
            tag = said.untagged(given)
        read_kind = by_tag.get(tag) if tag is None or isinstance(tag, str) else None
        if read_kind is not None:
            return read_kind(given)
        if said.unknown or said.unfit:
            raise _UnfitError(said.unknown.replace("{tag}", repr(tag)) or said.unfit)
        raise _UnfitError(known).within(f".{tag_name}")

    return read_tagged


def _tags(kind: type[Struct], tag_name: str) -> list[str | None]:
    """None too, where the tag may be left out."""
    field = next(field for field in msgspec.structs.fields(kind) if field.name == tag_name)
    return [*shape_of(field.type).args, *([] if field.required else [None])]


_READERS: Mapping[type, Callable[[Shape], Reader]] = {
    bool: _flag_reader,
    str: _text_reader,
    int: _whole_reader,
    float: _number_reader,
    list: _list_reader,
    dict: _mapping_reader,
}
# Of a member of a union; one that is a union itself has objects of several kinds.
_JSON_KIND: Mapping[Any, type] = {list: list, dict: dict, int: int, bool: bool, Union: dict}


def _bounds(shape: Shape, low: str, high: str) -> tuple[float, float]:
    least, most = shape.limit(low), shape.limit(high)
    return -inf if least is None else least, inf if most is None else most


def _sentence(shape: Shape) -> str:
    return shape.says.unfit or f"{{}} must be {_described(shape)}."


def _described(shape: Shape) -> str:
    base = shape.base
    if base is Union:
        return " or ".join(dict.fromkeys(_described(shape_of(member)) for member in shape.args))
    if shape.choices:
        return f"one of {', '.join(shape.choices)}"
    if base is str:
        return "a text" + _length(shape)
    if base in (int, float):
        return ("a whole number" if base is int else "a number") + _range(shape)
    return {bool: "true or false", list: "a list"}.get(base, "an object")


def _length(shape: Shape) -> str:
    low, high = shape.limit("min_length"), shape.limit("max_length")
    if high is None:
        return "" if low is None else " that is not empty"
    return f" of at most {high} characters" if low is None else f" of {low} to {high} characters"


def _range(shape: Shape) -> str:
    low, high = shape.limit("ge"), shape.limit("le")
    if high is None:
        return "" if low is None else f", {low:g} or more"
    return f" from {low:g} to {high:g}" if shape.base is float else f" from {low} to {high}"
