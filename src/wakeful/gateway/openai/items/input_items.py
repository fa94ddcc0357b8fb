"""The items that a client may send as input of a response, a run or a conversation."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import Meta

from wakeful.wire.declared import Incoming, says, words

JsonText: TypeAlias = Annotated[str, words("A JSON text.")]
# Nothing else: the journal has an address of its own for pictures that the server keeps.
PictureUrl: TypeAlias = Annotated[
    str,
    Meta(pattern="^(https?://|data:image/)"),
    says("{} must be the address of a picture, or a data:image/ URL."),
    words("The address of a picture, or a data: URL."),
]


class InputTextPart(Incoming):
    type: Literal["input_text", "output_text", "text"]
    text: str


class RefusalPart(Incoming):
    type: Literal["refusal"]
    refusal: str


class InputImagePart(Incoming):
    type: Literal["input_image"]
    image_url: PictureUrl


InputPart: TypeAlias = Annotated[
    InputTextPart | RefusalPart | InputImagePart, says("{} must be input_text, or input_image with an image_url.")
]


class InputMessage(Incoming):
    type: Literal["message"] = "message"
    role: Literal["assistant", "developer", "system", "user"]
    content: Annotated[str | list[InputPart], says("{} must be a text or a list of parts.")]


class InputCall(Incoming):
    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: JsonText


class InputCallOutput(Incoming):
    type: Literal["function_call_output"]
    call_id: str
    output: Annotated[str | list[InputPart], says("{} must be a text.")]


class InputServerCall(Incoming):
    """A call that the server made, sent back. Without `output` the server's record of it counts."""

    type: Literal["mcp_call"]
    id: str
    server_label: Annotated[str, words("`wakeful`.")]
    name: str
    arguments: JsonText
    output: str | None = None
    error: Annotated[str | dict[str, Any] | None, says("{} must be a text or an object.")] = None


class InputReference(Incoming):
    """Stands for a stored item. Without a `type` it must not have a `role`."""

    type: Literal["item_reference"] = "item_reference"
    id: str

    more_schema: ClassVar[Mapping[str, Any]] = {"not": {"required": ["role"], "properties": {"type": {"type": "null"}}}}


class InputReasoning(Incoming):
    """Accepted and ignored."""

    type: Literal["reasoning"]


def _untagged(item: Mapping[str, Any]) -> str:
    """Return the type of an item without one: a reference or a message."""
    return "item_reference" if "id" in item and "role" not in item else "message"


InputItem: TypeAlias = Annotated[
    InputMessage | InputCall | InputCallOutput | InputServerCall | InputReference | InputReasoning,
    words(
        "Input for the model. The server answers calls of its own tools; `function_call_output` is for calls of the "
        "client's functions."
    ),
    says(unknown="{} is of the type {tag}, which is not supported.", untagged=_untagged),
]
InputField: TypeAlias = Annotated[
    Annotated[str, Meta(min_length=1), says("{} must not be empty.")]
    | Annotated[list[InputItem], Meta(min_length=1), says("{} must be a text or a list of items.")],
    says("{} must be a text or a list of items."),
]
