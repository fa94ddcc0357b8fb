"""Shows a session on a screen: turns the frames of its stream and its recorded messages into cards and blocks."""

from collections.abc import Callable
from time import monotonic
from typing import Any

from wakeful.cli.chat.cards.card import Card, failure, remark
from wakeful.cli.chat.cards.cards import (
    abandoned_card,
    cancelled_card,
    cut_card,
    ended_card,
    failed_card,
    thought_card,
    user_card,
    wake_card,
    wakes_card,
)
from wakeful.cli.chat.cards.context_cards import stand_in_card, summed_card, summing_card, todo_card
from wakeful.cli.chat.cards.question_card import answered_card, question_card
from wakeful.cli.chat.cards.tool_card import call_title, interrupted_card, tool_card
from wakeful.cli.chat.cards.work_line import work_lines
from wakeful.cli.chat.screens.markdown_stream import MarkdownStream
from wakeful.cli.chat.screens.screen import AnswerDraft, Screen
from wakeful.cli.chat.standing import Standing
from wakeful.cli.lists.job_words import waited_ms
from wakeful.cli.plain_text import clock_time, harmless, one_line
from wakeful.errors import WakefulError

Data = dict[str, Any]


class Narrator:
    def __init__(self, screen: Screen, standing: Standing) -> None:
        self._screen = screen
        self._standing = standing
        self._draft = AnswerDraft()
        self._answer = MarkdownStream()
        # The step whose answer is being streamed, and whether some of it is already final on the screen.
        self._step = 0
        self._has_shown = False
        # Running calls by id: name and arguments.
        self._calls: dict[str, tuple[str, str]] = {}
        # Notices that arrived together; more may follow.
        self._wakes: list[Data] = []
        # The question that was shown last: a stream that reconnects sends open questions again.
        self._asked: str | None = None
        self._handlers: dict[str, Callable[[Data], None]] = {
            "message": self._message,
            "notice": self._notice,
            "token": self._token,
            "reasoning": self._reasoning,
            "step_abandoned": self._abandoned,
            "model_changed": lambda data: self._step_aside(stand_in_card(data)),
            "compaction_started": lambda data: self._step_aside(summing_card(data)),
            "compaction_done": lambda data: self._step_aside(summed_card(data)),
            "tool": self._tool,
            "tool_complete": self._tool_complete,
            "usage": lambda data: self._end_answer(),
            "failed": lambda data: self._ended(data, failed_card(data)),
            "cancelled": lambda data: self._ended(data, cancelled_card(data)),
            "done": lambda data: self._ended(data, cut_card() if data.get("incomplete") else None),
            "process_complete": self._process_complete,
            "approval_answered": lambda data: self._show(answered_card(data["choice"])),
            "wake_waits": self._wake_waits,
            "todo": lambda data: self._step_aside(todo_card(data["items"])),
            "gap": lambda data: self._show(remark("Some of what happened is no longer in the log.")),
        }

    def show_frame(self, name: str, data: Data) -> None:
        """Show one frame; frames that only update the session's state are ignored. After a notice the caller calls
        `end_wakes`, unless another frame follows.
        """
        if name != "notice":
            self.end_wakes()
        if name in self._handlers:
            self._handlers[name](data)

    def show_question(self) -> None:
        """Show the oldest open question, and the next one only after its answer, so that an answer is unambiguous."""
        question = self._standing.question
        asked = None if question is None else question["call_id"]
        if asked == self._asked:
            return
        self._asked, self._standing.asked_at = asked, monotonic()
        if question is not None:
            others = len(self._standing.approvals) - 1
            self._show(question_card(question, others, may_answer=self._standing.may_answer))

    def end_wakes(self) -> None:
        """Show the notices that arrived together."""
        wakes, self._wakes = self._wakes, []
        if wakes:
            self._show(wake_card(*wakes) if len(wakes) == 1 else wakes_card(wakes))

    def recall(self, message: Data) -> None:
        """Show one recorded message. After a notice the caller calls `end_wakes`, unless another message follows."""
        if message["notice"] is not None:
            frame = {name: message[name] for name in ("source", "content", "turn_id")}
            self._notice(message["notice"] | frame | {"message_id": message["id"]})
            return
        self.end_wakes()
        if message["role"] == "user":
            self._show(user_card(message["content"], message["source"], message.get("attachments", ())))
        elif message["role"] == "tool":
            self._recall_call(message["tool"])
        elif message["role"] == "assistant":
            self._recall_answer(message["content"])
        elif message["role"] == "error":
            self._show(failed_card({"message": message["content"]}))
        elif message["source"] == "summary":
            self._show(summed_card(message["summary"]))
        else:
            self._show(remark(one_line(message["content"])))

    def forget(self) -> None:
        """Forget the session, before another one is shown."""
        self.end_wakes()
        self._answer = MarkdownStream()
        self._calls, self._asked = {}, None
        self._has_shown = False
        self._draft.text = self._draft.thought = ""
        self._draft.calls = {}
        self._screen.change_draft(self._draft)

    def lose(self, error: WakefulError) -> None:
        """Show why the session cannot be followed any more."""
        self.end_wakes()
        self._end_answer()
        self._show(failure(one_line(str(error))))

    def _notice(self, data: Data) -> None:
        if self._wakes and _step_of(data) != _step_of(self._wakes[0]):
            self.end_wakes()
        waited_for = self._standing.turns.waited_for(data.get("turn_id", ""), waited_ms(data) / 1000)
        self._wakes.append(data | {"waited_for": waited_for})

    def _message(self, data: Data) -> None:
        self._end_answer()
        if data.get("role") == "note":
            self._show(remark(one_line(data["content"])))
        else:
            self._show(user_card(data["content"], data["source"], data.get("attachments", ())))

    def _token(self, data: Data) -> None:
        self._begin_step(data["step"])
        self._end_thought()
        for block in self._answer.feed(harmless(data["text"])):
            self._show_answer(block)
        self._draft.text = self._answer.unfinished
        self._screen.change_draft(self._draft)

    def _reasoning(self, data: Data) -> None:
        self._begin_step(data["step"])
        self._draft.thought += data["text"]
        self._screen.change_draft(self._draft)

    def _abandoned(self, data: Data) -> None:
        self._answer = MarkdownStream()
        self._draft.text = self._draft.thought = ""
        if self._has_shown and data["step"] == self._step:
            self._show(abandoned_card())
        self._has_shown = False
        self._screen.change_draft(self._draft)

    def _step_aside(self, card: Card) -> None:
        """Show what happened to the turn between two answers."""
        self._end_answer()
        self._show(card)

    def _tool(self, data: Data) -> None:
        self._end_answer()
        self._calls[data["call_id"]] = (data["name"], data["arguments"])
        self._draft.calls[data["call_id"]] = (call_title(data["name"], data["arguments"]), monotonic())
        self._screen.change_draft(self._draft)

    def _tool_complete(self, data: Data) -> None:
        name, arguments = self._calls.pop(data["call_id"], ("a tool", ""))
        self._draft.calls.pop(data["call_id"], None)
        self._show(tool_card(name, arguments, data["result"], data["seconds"], data.get("changes", ())))
        self._screen.change_draft(self._draft)

    def _ended(self, data: Data, card: Card | None) -> None:
        if "joined" in data or data.get("reason") == "withdrawn":
            # It never ran: its message joined another turn or was withdrawn.
            return
        self._end_answer()
        for name, arguments in self._calls.values():
            self._show(interrupted_card(name, arguments))
        self._calls, self._draft.calls = {}, {}
        if card is not None:
            self._show(card)
        self._screen.change_draft(self._draft)

    def _process_complete(self, data: Data) -> None:
        """Show the end of a job, unless the agent is notified: that notice gets its own card."""
        task = self._standing.task(data["process_id"])
        if task is not None and (data["status"] == "killed" or task["id"] not in self._standing.promised):
            self._show(ended_card(data, task["command"]))

    def _wake_waits(self, data: Data) -> None:
        until = clock_time(data["until"])
        if data.get("reason") == "spend":
            waits = f"Work waits until {until}, or for your words: today's budget is spent."
        else:
            waits = f"Jobs have reported and wait until {until}, or for your words: no more wake-ups this hour."
        self._show(remark(waits))

    def show_work(self) -> None:
        """Show what the running sub-agents do."""
        self._screen.change_work(work_lines(self._standing.running_tasks, self._standing.works))

    def _begin_step(self, step: int) -> None:
        if step != self._step:
            self._end_answer()
            self._step, self._has_shown = step, False

    def _end_answer(self) -> None:
        self._end_thought()
        for block in self._answer.finish():
            self._show_answer(block)
        self._draft.text = ""
        self._has_shown = False
        self._screen.change_draft(self._draft)

    def _end_thought(self) -> None:
        if card := thought_card(self._draft.thought):
            self._draft.thought = ""
            self._show(card)

    def _recall_answer(self, content: str) -> None:
        answer = MarkdownStream()
        for block in [*answer.feed(harmless(content)), *answer.finish()]:
            self._screen.show_answer(block)

    def _recall_call(self, call: Data) -> None:
        if call["status"] == "done":
            shown = call["name"], call["arguments"], call["result"] or "", call["seconds"], call["changes"]
            self._show(tool_card(*shown))
        else:
            self._show(interrupted_card(call["name"], call["arguments"]))

    def _show_answer(self, block: str) -> None:
        self._has_shown = True
        self._screen.show_answer(block)

    def _show(self, card: Card) -> None:
        self._screen.show(card)


def _step_of(notice: Data) -> str:
    """Return the turn and the step that a notice is recorded in."""
    return str(notice.get("message_id", "")).rpartition(".")[0]
