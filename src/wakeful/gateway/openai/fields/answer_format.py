"""The format of the answer that a client asks for: plain text, any JSON, or JSON that fits a schema."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from wakeful.gateway.openai.fields.common_fields import LongText
from wakeful.wire.declared import Incoming, says

SchemaName: TypeAlias = Annotated[
    str, Meta(pattern="^[a-zA-Z0-9_-]{1,64}$"), says("{} must be 1 to 64 letters, digits and _ -")
]


class PlainFormat(Incoming):
    type: Literal["text", "json_object"]


class NamedSchema(Incoming):
    name: SchemaName
    schema: Annotated[dict[str, Any], says("{} must be a JSON schema.")]
    strict: bool | None = None
    description: LongText | None = None

    def option(self) -> dict[str, Any]:
        """Return the schema as a chat-completions endpoint takes it."""
        kept = {"name": self.name, "schema": self.schema, "strict": self.strict, "description": self.description}
        schema = {name: value for name, value in kept.items() if value is not None}
        return {"type": "json_schema", "json_schema": schema}


class SchemaFormat(NamedSchema):
    type: Literal["json_schema"]


class PlainChatFormat(PlainFormat):
    json_schema: dict[str, Any] | None = None


class SchemaChatFormat(Incoming):
    type: Literal["json_schema"]
    json_schema: NamedSchema


ResponseFormat: TypeAlias = PlainFormat | SchemaFormat
ChatFormat: TypeAlias = PlainChatFormat | SchemaChatFormat


def format_option(given: ResponseFormat | ChatFormat | None) -> dict[str, Any] | None:
    """Return the format as a chat-completions endpoint takes it, or None for plain text."""
    match given:
        case SchemaFormat():
            return given.option()
        case SchemaChatFormat(json_schema=schema):
            return schema.option()
        case PlainFormat(type="json_object"):
            return {"type": "json_object"}
        case _:
            return None
