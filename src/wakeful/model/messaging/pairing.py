"""A pairing: a person who may talk to the agent, or who has asked to."""

from dataclasses import dataclass

# How long a code is good.
CODE_SECONDS = 3600.0
# A stranger who goes on writing hears of pairing again after this time.
SILENCE_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Pairing:
    platform: str
    user_id: str
    name: str
    # What the operator types to let the person in; "" once they are in.
    code: str = ""
    # When the code was made.
    asked_at: float = 0.0
    # When the operator has let them in; None while they wait.
    paired_at: float | None = None

    def is_good(self, now: float) -> bool:
        """Whether its code still lets the person in."""
        return bool(self.code) and now < self.asked_at + CODE_SECONDS
