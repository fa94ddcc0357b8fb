"""Decides whether a failed model request is tried again, and after how long."""

import random
import time

from wakeful.agent.settings import AgentSettings
from wakeful.errors import ModelError

EMPTY_ANSWER = "empty_answer"
OVERFLOW = "context_overflow"


class ModelTries:
    def __init__(self, settings: AgentSettings) -> None:
        self._limit = settings.model_tries
        self._deadline = time.monotonic() + settings.model_retry_seconds
        self._failures = 0
        self._has_been_empty = False

    def wait_after(self, error: ModelError) -> float | None:
        """Return how many seconds to wait before the next try, None to give up.

        The first empty answer is always retried, whatever the settings say about failures: models give one at times.
        """
        if error.code == EMPTY_ANSWER:
            is_first, self._has_been_empty = not self._has_been_empty, True
            return 0.0 if is_first else None
        self._failures += 1
        wait = max(_backoff(self._failures), error.retry_after or 0.0)
        is_last = self._failures == self._limit or time.monotonic() + wait > self._deadline
        return None if is_last or not error.passing else wait


def _backoff(attempt: int) -> float:
    return float(0.5 * 2 ** (attempt - 1) * random.uniform(0.75, 1.25))
