"""What an operator may change about the agent loop."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgentSettings:
    # Model answers in one turn.
    step_limit: int = 100
    # Tokens that the answers of one turn may cost together.
    token_limit: int = 200_000
    # Tries of one model call that fails for a passing reason, and the time that all of them may take.
    model_tries: int = 3
    model_retry_seconds: float = 15.0
