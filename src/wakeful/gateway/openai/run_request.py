"""What a client asks for with POST /v1/runs, checked before anything happens."""

from dataclasses import dataclass

from wakeful.gateway.openai import body as fields
from wakeful.gateway.openai.body import Body
from wakeful.gateway.openai.response_inputs import Input, Reference, read_inputs
from wakeful.model.request import RUN, TurnRequest

_NAME_LIMIT = 256


@dataclass(frozen=True, slots=True)
class RunRequest:
    inputs: list[Input | Reference]
    # As the client wrote it; empty: the default.
    model: str
    turn: TurnRequest


def read_run_request(body: Body) -> RunRequest:
    """Raises ApiError."""
    return RunRequest(
        inputs=read_inputs(body.get("input")),
        model=fields.text(body, "model", limit=_NAME_LIMIT) or "",
        turn=TurnRequest(kind=RUN, instructions=fields.text(body, "instructions") or ""),
    )
