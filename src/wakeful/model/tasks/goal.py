"""What an agent hands to a sub-agent: a goal, and the model and tools to reach it with."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Goal:
    text: str
    # As provider:model; empty: that of the agent that delegates.
    model: str = ""
    # The only tools that the sub-agent may call, by name; None: all of them.
    tools: tuple[str, ...] | None = None
