"""Requests and answers, declared as types.

A subclass of Incoming or Outgoing is the one declaration of a body, a query or an answer: reading.py reads and checks
requests by it, and schema.py generates its part of the OpenAPI document from it. A field's limits are in its
annotation, as msgspec.Meta; `says` adds the error sentence. The docstring of such a class is its description in the
document.
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
    """Makes every subclass kw_only, which msgspec does not inherit: fields can then be in the document's order."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> Any:
        return super().__new__(mcs, name, bases, namespace, **{"kw_only": True} | config)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Incoming(Struct, frozen=True, metaclass=_ByName):
    # Unknown fields are ignored; null counts as left out where a field has a default.

    # Schema keywords beyond the fields, such as which of them exclude each other.
    more_schema: ClassVar[Mapping[str, Any]] = {}
    # The error sentence for unknown fields, where they are refused instead of ignored.
    no_others: ClassVar[str] = ""


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Outgoing(Struct, frozen=True, metaclass=_ByName):
    # Every field is always sent, unless its type includes UnsetType.
    pass


@dataclass(frozen=True, slots=True)
class Says:
    """Error sentences that replace the generated ones, and rules that a type cannot express.

    In a sentence, `{}` stands for the field's name.
    """

    unfit: str = ""
    # For a required field that is left out.
    missing: str = ""
    # For an object of an unknown kind. `{tag}` stands for the kind that it names.
    unknown: str = ""
    # Errors inside of the value are reported as errors of the value itself.
    covers_inside: bool = False
    # The allowed texts, where another module lists them already.
    among: tuple[str, ...] = ()
    # A condition beyond the type and the limits.
    check: Callable[[Any], bool] | None = None
    # Chooses the kind of an object that does not name one.
    untagged: Callable[[Mapping[str, Any]], str] | None = None
    # A number in a query is moved into this range; an empty text counts as left out.
    clamped: tuple[int, int] | None = None
    # A boolean in a query may also be 1, 0 or an empty text.
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
    # The arguments of a list, a dictionary, a Literal or a Union.
    args: tuple[Any, ...]
    metas: tuple[Meta, ...]
    is_nullable: bool
    # The field may be left out of an answer.
    may_be_unset: bool

    @property
    def says(self) -> Says:
        return Says(**{name: value for meta in self.metas for name, value in (meta.extra or {}).items()})

    @property
    def choices(self) -> tuple[Any, ...]:
        """The allowed values, in order; empty where any value is allowed."""
        if is_enum(self.base):
            return tuple(member.value for member in self.base)
        return self.args if self.base is Literal else self.says.among

    def limit(self, name: str) -> Any:
        """Return the limit that was annotated last, which is the outermost, or None."""
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
    """Return the name of the field that distinguishes these kinds of object: a Literal in each of them."""
    first, *others = ({field.name for field in tags_in(kind)} for kind in kinds)
    return next(field.name for field in tags_in(kinds[0]) if field.name in first.intersection(*others))


def tags_in(kind: type[Struct]) -> list[FieldInfo]:
    return [field for field in msgspec.structs.fields(kind) if shape_of(field.type).base is Literal]
