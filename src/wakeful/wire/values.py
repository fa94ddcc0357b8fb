"""Readers of single values, and the sentences with which they refuse one."""

import re
from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Union

from wakeful.wire.declared import Shape, shape_of
from wakeful.wire.errors import InvalidRequest

ValueReader = Callable[[Any], Any]


class UnfitError(Exception):
    """A value does not fit its type. Its path is built while the error propagates, so valid requests pay nothing."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self._sentence = sentence
        self._path: list[str] = []

    def within(self, step: str) -> "UnfitError":
        self._path.append(step)
        return self

    def refusal(self) -> InvalidRequest:
        where = "".join(reversed(self._path)).removeprefix(".")
        return InvalidRequest(self._sentence.replace("{}", where, 1), param=where)


def refused(sentence: str) -> ValueReader:
    """Return a reader for a field that clients know but that is not supported here: only null is allowed."""

    def refuse(given: Any) -> Any:
        raise UnfitError(sentence)

    return refuse


def choice_reader(shape: Shape, choices: Mapping[str, Any]) -> ValueReader:
    sentence = sentence_of(shape)

    def read_choice(given: Any) -> Any:
        if not isinstance(given, str) or given not in choices:
            raise UnfitError(sentence)
        return choices[given]

    return read_choice


def flag_reader(shape: Shape) -> ValueReader:
    sentence = sentence_of(shape)

    def read_flag(given: Any) -> Any:
        if not isinstance(given, bool):
            raise UnfitError(sentence)
        return given

    return read_flag


def text_reader(shape: Shape) -> ValueReader:
    sentence, (low, high) = sentence_of(shape), bounds(shape, "min_length", "max_length")
    pattern = shape.limit("pattern")
    # In JSON Schema $ matches at the end of the text only; in Python also before a final line break.
    matches = None if pattern is None else re.compile(re.sub(r"\$$", r"\\Z", pattern)).search
    is_any = matches is None and (low, high) == (-inf, inf)

    def read_text(given: Any) -> Any:
        if type(given) is not str or not (is_any or low <= len(given) <= high):
            raise UnfitError(sentence)
        if matches is not None and not matches(given):
            raise UnfitError(sentence)
        return given

    return read_text


def whole_reader(shape: Shape) -> ValueReader:
    sentence, clamped, (low, high) = sentence_of(shape), shape.says.clamped, bounds(shape, "ge", "le")

    def read_whole(given: Any) -> Any:
        if isinstance(given, float) and given.is_integer():
            # JSON does not distinguish 1.0 from 1.
            given = int(given)
        if isinstance(given, bool) or not isinstance(given, int):
            raise UnfitError(sentence)
        if clamped is not None:
            return max(clamped[0], min(clamped[1], given))
        if not low <= given <= high:
            raise UnfitError(sentence)
        return given

    return read_whole


def number_reader(shape: Shape) -> ValueReader:
    sentence, (low, high) = sentence_of(shape), bounds(shape, "ge", "le")

    def read_number(given: Any) -> Any:
        if isinstance(given, bool) or not isinstance(given, int | float) or not low <= given <= high:
            raise UnfitError(sentence)
        return given

    return read_number


def bounds(shape: Shape, low: str, high: str) -> tuple[float, float]:
    least, most = shape.limit(low), shape.limit(high)
    return -inf if least is None else least, inf if most is None else most


def sentence_of(shape: Shape) -> str:
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
