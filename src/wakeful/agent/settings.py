"""The operator's settings for the agent loop."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgentSettings:
    # Most model answers in one turn.
    step_limit: int = 100
    # Most output tokens of one turn, over all its answers.
    token_limit: int = 200_000
    # Most tries of a model request that fails for a passing reason, and how long they may take in all.
    model_tries: int = 3
    model_retry_seconds: float = 15.0
    # Asked in this order, as provider:model, when a turn's own model fails.
    fallback_models: tuple[str, ...] = ()
