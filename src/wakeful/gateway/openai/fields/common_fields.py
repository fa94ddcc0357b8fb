"""Fields that several families of requests and answers share, with their limits."""

from typing import Annotated, TypeAlias

from msgspec import Meta

from wakeful.wire.declared import Outgoing, among, says, words

SERVICE_TIERS = ("auto", "default", "flex", "scale", "priority", "fast")
# The largest number of tokens or calls that a client may ask for.
MANY = 10_000_000
NO_NUL = "^[^\\u0000]*$"

NonNegative: TypeAlias = Annotated[int, Meta(ge=0)]
Tokens: TypeAlias = Annotated[int, Meta(ge=1, le=MANY)]
LongText: TypeAlias = Annotated[str, Meta(max_length=1_000_000)]
RequestedModel: TypeAlias = Annotated[
    str,
    Meta(max_length=256),
    words("`wakeful` or nothing for the configured one, `provider:model`, or a name from the catalogue."),
]
ReasoningEffort: TypeAlias = Annotated[str, Meta(max_length=32), words("As the model's endpoint knows it.")]
ServiceTier: TypeAlias = Annotated[str, among(SERVICE_TIERS)]
Temperature: TypeAlias = Annotated[float, Meta(ge=0, le=2)]
TopP: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
NoLogprobs: TypeAlias = Annotated[
    int,
    Meta(ge=0, le=0),
    words("Log probabilities are not returned."),
    says("{} must be 0: log probabilities are not returned."),
]
Metadata: TypeAlias = Annotated[
    dict[Annotated[str, Meta(max_length=64)], Annotated[str, Meta(max_length=512)]],
    Meta(max_length=16),
    says("{} must have at most 16 texts of up to 512 characters, with keys of up to 64.", covers_inside=True),
]


class IncompleteDetails(Outgoing):
    reason: str


class FailureDetails(Outgoing):
    code: str
    message: str
