"""How many sub-agents may work at once, and how deep they may delegate further."""

from wakeful.engine.settings import EngineSettings
from wakeful.errors import TooManyDelegations


def check_delegation_limits(limits: EngineSettings, *, wanted: int, working: int, depth: int) -> None:
    """`working` do already, for the same agent, above which stand `depth` others. Raises TooManyDelegations."""
    if working + wanted > limits.delegation_limit:
        raise TooManyDelegations(
            f"At most {limits.delegation_limit} sub-agents may work at the same time "
            f"(WAKEFUL_DELEGATION_LIMIT) and {working} do already: wait for some of them, or delegate less."
        )
    if depth >= limits.delegation_depth:
        raise TooManyDelegations(
            f"Sub-agents may delegate only {limits.delegation_depth} deep (WAKEFUL_DELEGATION_DEPTH): "
            "do this part yourself."
        )
