"""A line about a running sub-agent: its goal, what it does now, and what it has used so far."""

from typing import Any

from wakeful.cli.chat.cards.context_cards import money
from wakeful.cli.plain_text import one_line

_MARK = "↳"
_GOAL_LENGTH = 40


def work_lines(tasks: list[dict[str, Any]], works: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Return the lines by task id, in the order of the tasks. A task that is not known yet is left out."""
    return {task["id"]: _line(task, works[task["id"]]) for task in tasks if task["id"] in works}


def _line(task: dict[str, Any], work: dict[str, Any]) -> str:
    goal = one_line(task["command"].split("\n", 1)[0])
    short = goal if len(goal) <= _GOAL_LENGTH else f"{goal[: _GOAL_LENGTH - 1].rstrip()}…"
    return f"{_MARK} {short} ({_used(work)}): {_doing(work)}"


def _doing(work: dict[str, Any]) -> str:
    if work["tool"]:
        return one_line(f"{work['tool']} {work['argument']}").strip()
    return one_line(work["words"]) or "thinking"


def _used(work: dict[str, Any]) -> str:
    parts = [work["model"].partition(":")[2]] if work["model"] else []
    parts.append(_count(work["steps"], "step"))
    if used := work["input_tokens"] + work["output_tokens"]:
        parts.append(f"{used:,} tokens")
    if work["cost_usd"]:
        parts.append(money(work["cost_usd"]))
    if work["sub_agents"]:
        parts.append(_count(work["sub_agents"], "sub-agent"))
    return ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
