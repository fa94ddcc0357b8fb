"""The events of a turn as a person or a pipe reads them: the answer on one stream, remarks on the other."""

from typing import TextIO

from wakeful.model import event as events
from wakeful.model.event import Event

_REMARK_LIMIT = 100


class AnswerPrinter:
    def __init__(self, answers: TextIO, remarks: TextIO) -> None:
        self._answers = answers
        self._remarks = remarks
        self._step = 0
        self._is_inside_line = False

    def show(self, event: Event) -> None:
        if event.kind == events.TOKEN:
            self._print(event.data["step"], event.data["text"])
        elif event.kind == events.TOOL:
            self._remark(f"[{event.data['name']} {event.data['arguments']}]")
        elif event.kind == events.STEP_ABANDONED:
            # What is printed cannot be taken back.
            self._remark("[the answer broke off and is asked for again; what follows takes its place]")
        elif event.is_final:
            self.end_line()

    def end_line(self) -> None:
        if self._is_inside_line:
            self._answers.write("\n")
            self._answers.flush()
            self._is_inside_line = False

    def _print(self, step: int, text: str) -> None:
        if step != self._step:
            self.end_line()
            self._step = step
        self._answers.write(_harmless(text) if self._answers.isatty() else text)
        self._answers.flush()
        self._is_inside_line = not text.endswith("\n")

    def _remark(self, text: str) -> None:
        self.end_line()
        line = _harmless(" ".join(text.split()))
        if len(line) > _REMARK_LIMIT:
            line = f"{line[:_REMARK_LIMIT]}…]"
        self._remarks.write(f"{line}\n")
        self._remarks.flush()


def _harmless(text: str) -> str:
    """Without control characters: a terminal would obey them, and a model may repeat what a stranger has written."""
    return "".join(letter for letter in text if letter in "\n\t" or letter.isprintable())
