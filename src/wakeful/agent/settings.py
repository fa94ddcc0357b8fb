"""The operator's settings for the agent loop."""

from dataclasses import dataclass

from wakeful.tools.base import RESULT_LIMIT


@dataclass(frozen=True, slots=True)
class AgentSettings:
    # Most model answers in one turn.
    step_limit: int = 100
    # Most output tokens of one turn, over all its answers.
    token_limit: int = 200_000
    # Most tries of a model request that fails for a passing reason, and how long they may take in all.
    model_tries: int = 3
    model_retry_seconds: float = 15.0
    # The most characters of a tool's result that a model reads; the whole of a longer one is kept as a file.
    result_limit: int = RESULT_LIMIT
    # The part of the model's window above which the conversation is summed up, and the model that does it; empty: the
    # turn's own.
    compact_at: float = 0.8
    compact_model: str = ""
    # Asked in this order, as provider:model, when a turn's own model fails.
    fallback_models: tuple[str, ...] = ()
