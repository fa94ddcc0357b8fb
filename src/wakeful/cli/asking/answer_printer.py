"""Prints the events of a turn: the answer to one stream, remarks to the other."""

from collections.abc import Mapping
from typing import Any, TextIO

from wakeful.errors import TurnFailed
from wakeful.model import event as events

_REMARK_LIMIT = 100


class AnswerPrinter:
    def __init__(self, answers: TextIO, remarks: TextIO) -> None:
        self._answers = answers
        self._remarks = remarks
        self._step = 0
        self._is_inside_line = False

    def show(self, kind: str, data: Mapping[str, Any]) -> None:
        if kind == events.TOKEN:
            self.say(data["step"], data["text"])
        elif kind == events.TOOL:
            self._remark(f"[{data['name']} {data['arguments']}]")
        elif kind == events.STEP_ABANDONED:
            # Printed text cannot be taken back.
            self._remark("[the answer broke off and is asked for again; what follows replaces it]")
        elif kind == events.MODEL_CHANGED:
            self._remark(f"[{data['to']} answers instead of {data['from']}: {data['message']}]")
        elif kind in events.FINAL_KINDS:
            self.end_line()
            if data.get("incomplete"):
                self._remark("[the model reached its output limit: the answer stops here]")

    def say(self, step: int, text: str) -> None:
        if step != self._step:
            self.end_line()
            self._step = step
        self._answers.write(_harmless(text) if self._answers.isatty() else text)
        self._answers.flush()
        self._is_inside_line = not text.endswith("\n")

    def end_line(self) -> None:
        if self._is_inside_line:
            self._answers.write("\n")
            self._answers.flush()
            self._is_inside_line = False

    def _remark(self, text: str) -> None:
        self.end_line()
        line = _harmless(" ".join(text.split()))
        if len(line) > _REMARK_LIMIT:
            line = f"{line[:_REMARK_LIMIT]}…]"
        self._remarks.write(f"{line}\n")
        self._remarks.flush()


def exit_code_of(last: str, data: Mapping[str, Any]) -> int:
    """Return the exit code for a turn with this last event. Raises TurnFailed."""
    if last == events.DONE:
        return 0
    raise TurnFailed(data["message"], code=data["code"])


def _harmless(text: str) -> str:
    """Remove control characters: a terminal obeys them, and a model may repeat text from an untrusted source."""
    return "".join(letter for letter in text if letter in "\n\t" or letter.isprintable())
