"""The card of an approval question: what is dangerous in the command, why, and what each answer allows."""

from typing import Any

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.plain_text import clock_time, duration, harmless, one_line, seconds_since, shortened_lines

_LINES = 6
# A longer line is cut to this many characters around its dangerous part.
_WIDTH = 160
_DOES = {"terminal": "runs this", "process": "types this into a process"}
_ANSWERED = {
    "once": "Allowed once.",
    "session": "Allowed for this session.",
    "folder": "Allowed for this folder.",
    "expired": "Denied, nobody answered.",
}

# For `wakeful attach`, which cannot answer.
_ELSEWHERE = "wakeful approvals lists it"
_ELSEWHERE_ANSWERS = "wakeful approvals answers it, from another terminal."

# A question as GET /api/approvals and the stream send it.
QuestionData = dict[str, Any]


def question_card(question: QuestionData, others: int = 0, *, may_answer: bool = True) -> Card:
    """Make the card of the question that is next; `others` is how many wait behind it."""
    all_of_it, answers = ("/allow shows all", _answers(question)) if may_answer else (_ELSEWHERE, [_ELSEWHERE_ANSWERS])
    asks = "A sub-agent asks" if question.get("task_id") else "The agent asks"
    waits = f"waits {time_left(question)}, until {clock_time(question['expires_at'])}"
    return Card(
        Tone.QUESTION,
        f"{asks} before it {_DOES.get(question['tool'], 'does this')}",
        f"{waits}; {others} more after it" if others else waits,
        (*question_lines(question, all_of_it), "", *answers),
        is_prose=True,
        is_diff=bool(question["preview"]),
    )


def whole_question_card(question: QuestionData) -> Card:
    lines = (*_numbered(question), *harmless(question["preview"]).splitlines())
    is_diff = bool(question["preview"])
    return Card(
        Tone.QUESTION, "The whole of it:", "", (*lines, "", *_answers(question)), is_prose=True, is_diff=is_diff
    )


def answered_card(choice: str) -> Card:
    return Card(Tone.QUIET, _ANSWERED.get(choice, "Denied."))


def time_left(question: QuestionData) -> str:
    return duration(max(0.0, -seconds_since(question["expires_at"])))


def question_lines(question: QuestionData, how_to_see_all: str) -> list[str]:
    """Return the dangerous lines of the command, each with its number and the reasons, and how many are left out."""
    command: str = question["command"]
    reasons: dict[int, list[QuestionData]] = {}
    for danger in question["dangers"]:
        reasons.setdefault(_line_of(command, danger["excerpt"]), []).append(danger)
    of_the_whole = reasons.pop(0, [])
    lines = command.split("\n")
    shown = [line for number in sorted(reasons) for line in _dangerous(question, number, reasons[number])]
    hidden = len(lines) - len(reasons)
    if not reasons:
        shown, hidden = shortened_lines(_numbered(question), _LINES, 1), 0
    shown += [f"It {one_line(danger['reason'])}." for danger in of_the_whole]
    shown += shortened_lines([harmless(line) for line in question["preview"].splitlines()], _LINES, 1)
    return [*shown, f"… {hidden:,} more line{'s' if hidden > 1 else ''}; {how_to_see_all}"] if hidden else shown


def _dangerous(question: QuestionData, number: int, dangers: list[QuestionData]) -> list[str]:
    lines = question["command"].split("\n")
    shown = _around(lines[number - 1], dangers[0]["excerpt"])
    mark = _prompt(question) if len(lines) == 1 else f"line {number}: "
    return [f"{mark}{harmless(shown)}", *(f"  → {one_line(danger['reason'])}" for danger in dangers)]


def _line_of(command: str, excerpt: str) -> int:
    """Return the line number of an excerpt, from 1; 0 if the command does not contain it."""
    at = command.find(excerpt) if excerpt else -1
    return 0 if at < 0 else command.count("\n", 0, at) + 1


def _around(line: str, excerpt: str) -> str:
    if len(line) <= _WIDTH:
        return line
    start = max(0, line.find(excerpt.split("\n")[0]) - _WIDTH // 4)
    return f"{'…' if start else ''}{line[start : start + _WIDTH]}{'…' if start + _WIDTH < len(line) else ''}"


def _numbered(question: QuestionData) -> list[str]:
    lines = harmless(question["command"]).split("\n")
    if len(lines) == 1:
        return [f"{_prompt(question)}{lines[0]}"]
    return [f"{number:>3}  {line}" for number, line in enumerate(lines, start=1)]


def _prompt(question: QuestionData) -> str:
    """Return a shell's prompt before a command, and nothing before a path or the call of another tool."""
    return "$ " if question["tool"] == "terminal" else ""


def _answers(question: QuestionData) -> list[str]:
    longer = [f"/allow {choice}: {one_line(words)}" for choice, words in question["choice_words"].items()]
    return ["y allows it once, n denies it; both answer at once.", *longer]
