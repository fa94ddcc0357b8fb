"""What a client asks for with POST /v1/runs, and how it answers a run that asks."""

from typing import Annotated

from msgspec import Meta

from wakeful.gateway.openai.common_fields import NO_NUL, LongText, ModelName
from wakeful.gateway.openai.input_items import InputField
from wakeful.model.approval import CHOICES
from wakeful.wire.declared import Incoming, among, says


class RunBody(Incoming):
    input: InputField
    model: ModelName = ""
    instructions: LongText = ""


class RunApproval(Incoming):
    call_id: Annotated[
        str, Meta(min_length=1, max_length=256, pattern=NO_NUL), says("{} must name the call that waits.")
    ]
    choice: Annotated[str, among(CHOICES)]
