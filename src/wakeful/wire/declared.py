"""What a client sends and what it is answered, declared as types.

A subclass of Incoming or Outgoing is the one declaration of a body, a query or an answer. reading.py reads and checks
after it, schema.py writes its part of the OpenAPI document. The limits of a field stand in its annotation, as
msgspec.Meta has them; `says` adds the words of a refusal. The docstring of such a class is its public description.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, Union, dataclass_transform, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, StructMeta, UnsetType
from msgspec.structs import FieldInfo


class _ByName(StructMeta):
    """msgspec does not inherit this choice. Fields are given by name, so they may stand in the document's order."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> Any:
        return super().__new__(mcs, name, bases, namespace, **{"kw_only": True} | config)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Incoming(Struct, frozen=True, metaclass=_ByName):
    # Fields that the type does not name are ignored; null counts as left out where a field has a default.

    # What the schema says beyond the fields, such as which of them exclude each other.
    more_schema: ClassVar[Mapping[str, Any]] = {}
    # Where fields that the type does not name are refused instead: the sentence.
    no_others: ClassVar[str] = ""


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Outgoing(Struct, frozen=True, metaclass=_ByName):
    # Every field is always there, unless its type includes UnsetType.
    pass


@dataclass(frozen=True, slots=True)
class Says:
    """The words of a refusal, where those that follow from the type do not do. `{}` stands for the field's name."""

    unfit: str = ""
    # Where a required field is left out.
    missing: str = ""
    # Of one of several kinds of object: it is none of them. `{tag}` stands for what it says it is.
    unknown: str = ""
    # What is wrong inside is said of the whole.
    covers_inside: bool = False
    # The only texts that are taken, where another module has them already.
    among: tuple[str, ...] = ()
    # A condition beyond the type and the limits.
    check: Callable[[Any], bool] | None = None
    # The kind of an object that does not name its kind.
    untagged: Callable[[Mapping[str, Any]], str] | None = None
    # Of a number in a query: moved to this range; an empty text counts as left out.
    clamped: tuple[int, int] | None = None
    # Of a yes or no in a query: also 1, 0 and an empty text.
    is_switch: bool = False


def words(description: str) -> Meta:
    return Meta(description=description)


def says(unfit: str = "", **more: Any) -> Meta:
    return Meta(extra={"unfit": unfit, **more} if unfit else more)


def among(choices: Iterable[str]) -> Meta:
    return says(among=tuple(choices))


Switch: TypeAlias = Annotated[bool, says(is_switch=True)]


@dataclass(frozen=True, slots=True)
class Shape:
    """An annotation, taken apart."""

    # A class, Literal or Union.
    base: Any
    # Of a list, a dictionary, a Literal or a Union.
    args: tuple[Any, ...]
    metas: tuple[Meta, ...]
    is_nullable: bool
    # It may be missing from an answer.
    may_be_unset: bool

    @property
    def says(self) -> Says:
        return Says(**{name: value for meta in self.metas for name, value in (meta.extra or {}).items()})

    @property
    def choices(self) -> tuple[Any, ...]:
        """The only values, in order; empty where it is not a choice."""
        if is_enum(self.base):
            return tuple(member.value for member in self.base)
        return self.args if self.base is Literal else self.says.among

    def limit(self, name: str) -> Any:
        """The one that was annotated last, which is the outermost."""
        given = [value for meta in self.metas if (value := getattr(meta, name)) is not None]
        return given[-1] if given else None


def shape_of(annotation: Any) -> Shape:
    metas: tuple[Meta, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, *found = get_args(annotation)
        metas = tuple(found)
    if get_origin(annotation) not in (Union, UnionType):
        args = get_args(annotation)
        return Shape(get_origin(annotation) or annotation, args, metas, annotation in (None, NoneType, Any), False)
    members = get_args(annotation)
    real = [member for member in members if member not in (NoneType, UnsetType)]
    is_nullable, may_be_unset = NoneType in members, UnsetType in members
    if not real:
        return Shape(NoneType, (), metas, is_nullable, may_be_unset)
    if len(real) > 1:
        return Shape(Union, tuple(real), metas, is_nullable, may_be_unset)
    inner = shape_of(real[0])
    return Shape(inner.base, inner.args, inner.metas + metas, is_nullable or inner.is_nullable, may_be_unset)


def is_struct(base: Any) -> bool:
    return isinstance(base, type) and issubclass(base, Struct)


def is_enum(base: Any) -> bool:
    return isinstance(base, type) and issubclass(base, Enum)


def tag_of(kinds: tuple[type[Struct], ...]) -> str:
    """The field by which these kinds of object are told apart: it has other values in each."""
    first, *others = ({field.name for field in tags_in(kind)} for kind in kinds)
    return next(field.name for field in tags_in(kinds[0]) if field.name in first.intersection(*others))


def tags_in(kind: type[Struct]) -> list[FieldInfo]:
    return [field for field in msgspec.structs.fields(kind) if shape_of(field.type).base is Literal]
