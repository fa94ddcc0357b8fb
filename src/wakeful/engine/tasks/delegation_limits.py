"""Limits how many sub-agents work at once, and how deep they delegate."""

from wakeful.engine.settings import EngineSettings
from wakeful.errors import TooManyDelegations


def check_delegation_limits(limits: EngineSettings, *, wanted: int, working: int, depth: int) -> None:
    """Check that an agent with `working` sub-agents and `depth` delegations above it may have `wanted` more. Raises
    TooManyDelegations.
    """
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
