"""What answers cost. Days are those of UTC, counted from 1970."""

from dataclasses import dataclass
from datetime import UTC, datetime

DAY_SECONDS = 86_400
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Spend:
    input_tokens: int = 0
    output_tokens: int = 0
    # Of the tokens with a known price.
    usd: float = 0.0
    # Tokens whose price is unknown.
    unpriced_tokens: int = 0

    @classmethod
    def of_answer(cls, input_tokens: int, output_tokens: int, cost_usd: float | None) -> "Spend":
        """`cost_usd` is None if the model's price is unknown."""
        unpriced = input_tokens + output_tokens if cost_usd is None else 0
        return cls(input_tokens, output_tokens, cost_usd or 0.0, unpriced)

    def __add__(self, other: "Spend") -> "Spend":
        return Spend(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.usd + other.usd,
            self.unpriced_tokens + other.unpriced_tokens,
        )

    @property
    def cost_usd(self) -> float | None:
        """The known cost; None if there are only tokens without a price, which is not the same as free ones."""
        # A sum of prices has digits at its end that mean nothing.
        return None if self.unpriced_tokens and not self.usd else round(self.usd, _DIGITS)


def day_of(at: float) -> int:
    return int(at // DAY_SECONDS)


def end_of_day(at: float) -> float:
    """Return the next midnight."""
    return float((day_of(at) + 1) * DAY_SECONDS)


def date_of(day: int) -> str:
    return datetime.fromtimestamp(day * DAY_SECONDS, UTC).date().isoformat()
