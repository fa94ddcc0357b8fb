"""Makes the cards about a session's context and models: summaries, the model that answers instead, and the cost."""

from collections.abc import Sequence
from typing import Any

from wakeful.cli.chat.cards.card import Card, remark
from wakeful.cli.plain_text import one_line

_STAYS = "All of them stay to be read here."
_NO_MODEL = "Three tries failed, so the first words of each are kept."

# By the state of the day.
_REACHED = {
    "wakes_wait": ["Nothing wakes by itself now, until midnight UTC."],
    "stopped": ["No model is asked now, until midnight UTC."],
}

_TODO_SIGNS = {"pending": "[ ]", "active": "[>]", "done": "[x]"}


def summing_card(started: dict[str, Any]) -> Card:
    return remark(f"Summing up older messages, {started['context_tokens']:,} tokens …")


def summed_card(summary: dict[str, Any]) -> Card:
    """Make the card from the event, or from the recorded summary, which has the same fields."""
    tokens = f"{summary['tokens_before']:,} → {summary['tokens_after']:,} tokens"
    if summary["model"] is None:
        return remark(f"Older messages summed up without a model: {tokens}. {_NO_MODEL} {_STAYS}")
    return remark(f"Older messages summed up: {tokens}. {_STAYS}")


def todo_card(items: Sequence[dict[str, Any]]) -> Card:
    done = sum(item["status"] == "done" for item in items)
    rows = [f"{_TODO_SIGNS[item['status']]} {one_line(item['text'])}" for item in items]
    return remark(f"Plan, {done} of {len(items)} done:", *rows) if items else remark("The plan is empty.")


def stand_in_card(change: dict[str, Any]) -> Card:
    return remark(one_line(f"{change['to']} answers instead of {change['from']}: {change['message']}"))


def usage_card(usage: dict[str, Any] | None, today: dict[str, Any]) -> Card:
    """`usage` is that of the session; None before its first message."""
    if usage is None:
        return remark(_today(today))
    return remark(_context(usage), _session(usage), _today(today))


def _context(usage: dict[str, Any]) -> str:
    used, window, mark = (usage[name] for name in ("context_tokens", "context_window", "compact_at_tokens"))
    if window is None:
        return f"Context: {used:,} tokens; the model's window is unknown."
    return f"Context: {used:,} of {window:,} tokens; older messages are summed up at {mark:,}."


def _session(usage: dict[str, Any]) -> str:
    cost = "price unknown" if usage["cost_usd"] is None else money(usage["cost_usd"])
    unpriced = usage["unpriced_tokens"]
    without = f", and {unpriced:,} tokens without a known price" if unpriced and usage["cost_usd"] is not None else ""
    return f"This session: {usage['input_tokens']:,} tokens read, {usage['output_tokens']:,} written; {cost}{without}."


def _today(today: dict[str, Any]) -> str:
    waking, hard = today["cap_usd"], today["hard_cap_usd"]
    limits = [f"At {money(waking)} a day nothing wakes by itself."] if waking is not None else []
    limits += [f"At {money(hard)} a day no model is asked."] if hard is not None else []
    # Answers without a known price are not free.
    cost = "price unknown" if today["days"][-1]["cost_usd"] is None else money(today["spent_today_usd"])
    spent = f"Today, in all sessions: {cost}."
    return " ".join([spent, *_REACHED.get(today["state"], limits)])


def money(usd: float) -> str:
    return "under $0.01" if 0 < usd < 0.01 else f"${usd:,.2f}"
