"""The context windows that endpoints have named when a request was too long. They outlive the server."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wakeful.agent.models.json_file import read_json, write_json

_VERSION = 1

logger = logging.getLogger(__name__)


class WindowFile:
    def __init__(self, file: Path, marks: Mapping[str, str]) -> None:
        """`marks` has a mark of each provider's settings: what another endpoint has said does not count."""
        self._file = file
        self._marks = marks
        # By model: the mark and the window. None until the file has been read.
        self._known: dict[str, tuple[str, int]] | None = None

    def get(self, model: str) -> int | None:
        mark, window = self._all().get(model, ("", 0))
        return window if window and mark == self._mark_of(model) else None

    def put(self, model: str, window: int) -> None:
        learnt = (self._mark_of(model), window)
        if self._all().get(model) == learnt:
            return
        self._known = {**self._all(), model: learnt}
        try:
            write_json(self._file, _VERSION, {"windows": self._known})
        except OSError as error:
            logger.warning("cannot save that %s reads %d tokens: %s", model, window, error)

    def _all(self) -> dict[str, tuple[str, int]]:
        if self._known is None:
            self._known = read_json(self._file, _VERSION, _decode) or {}
        return self._known

    def _mark_of(self, model: str) -> str:
        return self._marks.get(model.partition(":")[0], "")


def _decode(content: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
    return {str(model): (str(mark), int(window)) for model, (mark, window) in content["windows"].items()}
