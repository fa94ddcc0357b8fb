"""The context windows that endpoints have named when a request was too long. They outlive the server, but not the day:
an endpoint may have been started again with a larger one.
"""

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wakeful.agent.models.json_file import read_json, write_json

_VERSION = 2
_SECONDS = 86_400.0

logger = logging.getLogger(__name__)


class WindowFile:
    def __init__(self, file: Path, marks: Mapping[str, str], clock: Callable[[], float] = time.time) -> None:
        """`marks` has a mark of each provider's settings: what another endpoint has said does not count."""
        self._file = file
        self._marks = marks
        self._clock = clock
        # By model: the mark, the window, and when it was named. None until the file has been read.
        self._known: dict[str, tuple[str, int, float]] | None = None

    def get(self, model: str) -> int | None:
        mark, window, at = self._all().get(model, ("", 0, 0.0))
        is_valid = mark == self._mark_of(model) and self._clock() - at < _SECONDS
        return window if window and is_valid else None

    def put(self, model: str, window: int) -> None:
        if self.get(model) != window:
            self._save({**self._all(), model: (self._mark_of(model), window, self._clock())})

    def drop(self, model: str) -> None:
        self._save({name: learnt for name, learnt in self._all().items() if name != model})

    def _save(self, known: dict[str, tuple[str, int, float]]) -> None:
        self._known = known
        try:
            write_json(self._file, _VERSION, {"windows": known})
        except OSError as error:
            logger.warning("cannot save how much the models of endpoints read: %s", error)

    def _all(self) -> dict[str, tuple[str, int, float]]:
        if self._known is None:
            self._known = read_json(self._file, _VERSION, _decode) or {}
        return self._known

    def _mark_of(self, model: str) -> str:
        return self._marks.get(model.partition(":")[0], "")


def _decode(content: Mapping[str, Any]) -> dict[str, tuple[str, int, float]]:
    windows = content["windows"].items()
    return {str(model): (str(mark), int(window), float(at)) for model, (mark, window, at) in windows}
