"""`delegate_task`: hands goals to sub-agents, each in a new session."""

from collections.abc import Mapping, Sequence
from typing import Any

from wakeful.context import async_delivery_supported
from wakeful.errors import TooManyDelegations
from wakeful.model.tasks.task import Task, TaskStatus
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec, as_sentence
from wakeful.tools.ports import Delegator, MemoryDelegator

_SYNCHRONOUSLY = (
    "This channel cannot deliver a result later, so the sub-agents ran synchronously, in this turn: "
    "the results are here, and no further message will come."
)
_NOTICES_WILL_COME = "You will be told once for each, when it is done; there is no need to wait or to ask."


class DelegateTool:
    spec = ToolSpec(
        name="delegate_task",
        description=(
            "Hand a goal, or several at once, to sub-agents. Each works in a new session, with the same tools and "
            "folder but without this conversation: put all that it needs to know into goal and context. By default "
            "the call waits and returns the results. With background=true it returns at once, and a message comes "
            "when a sub-agent is done; on a channel that cannot deliver later it waits all the same, and its note "
            "says so. process(action='list'), 'poll', 'wait' and 'kill' work on delegation ids too."
        ),
        parameters={
            "type": "object",
            "properties": {
                "goal": {"type": "string", "description": "What the sub-agent is to achieve."},
                "context": {"type": "string", "description": "What it must know; with tasks, what all must know."},
                "tasks": {
                    "type": "array",
                    "description": "Several goals at once, instead of goal.",
                    "items": {
                        "type": "object",
                        "properties": {"goal": {"type": "string"}, "context": {"type": "string"}},
                        "required": ["goal"],
                    },
                },
                "background": {"type": "boolean", "description": "Return at once and deliver the results later."},
            },
        },
    )

    def __init__(self, delegator: Delegator, in_memory: MemoryDelegator) -> None:
        """`in_memory` is for turns that are not stored."""
        self._delegator = delegator
        self._in_memory = in_memory

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        # What the sub-agents do passes the gate by itself.
        return Intent()

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        # The delegator finds the sub-agents of the first run again.
        return True

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        goals = _goals_of(arguments)
        if isinstance(goals, str):
            return _error(goals)
        wants_background = arguments.get("background", False)
        if not isinstance(wants_background, bool):
            return _error("background must be true or false")
        try:
            if context.turn.is_ephemeral:
                tasks = await self._in_memory.delegate(context.turn, goals)
            else:
                tasks = await self._begin(context, goals, wants_background=wants_background)
        except TooManyDelegations as error:
            return ToolResult.failed("too_large", str(error))
        if not tasks[0].is_inline:
            return _dispatched(tasks)
        return _results(tasks, _SYNCHRONOUSLY if wants_background else "")

    async def _begin(self, context: ToolContext, goals: Sequence[str], *, wants_background: bool) -> list[Task]:
        """Start the sub-agents, and wait for those that run inline."""
        is_inline = not (wants_background and async_delivery_supported())
        tasks = await self._delegator.begin(context.turn, context.step, context.index, goals, is_inline=is_inline)
        return await self._delegator.ended([task.id for task in tasks]) if tasks[0].is_inline else tasks


def _goals_of(arguments: Mapping[str, Any]) -> list[str] | str:
    """Return a text for each sub-agent, or what is wrong with the arguments."""
    given = arguments.get("tasks")
    # Some models fill in parameters that they do not mean to use.
    if given is None or given == []:
        given = [arguments]
    elif arguments.get("goal"):
        return "give either goal or tasks, not both"
    if not isinstance(given, list):
        return "tasks must be a list of goals"
    shared = "" if given[0] is arguments else arguments.get("context")
    goals = [_goal_of(part, shared) for part in given]
    if not all(goals):
        return "every goal must be a string that says what to achieve, and every context a string"
    return goals


def _goal_of(part: Any, shared: Any) -> str:
    """Return the goal with its context, or an empty string if it is not valid."""
    if not isinstance(part, Mapping):
        return ""
    texts: list[Any] = [part.get("goal"), shared or "", part.get("context") or ""]
    if not all(isinstance(text, str) for text in texts):
        return ""
    goal, *contexts = (text.strip() for text in texts)
    context = "\n\n".join(text for text in contexts if text)
    return f"{goal}\n\nContext:\n{context}" if goal and context else goal


def _dispatched(tasks: Sequence[Task]) -> ToolResult:
    started = [
        {"delegation_id": task.id, "session_id": task.child_session_id, "goal": task.command.split("\n", 1)[0]}
        for task in tasks
    ]
    answer = {"status": "dispatched", "delegation_id": tasks[0].id, "delegations": started, "note": _NOTICES_WILL_COME}
    return ToolResult.of(answer)


def _results(ended: Sequence[Task], note: str) -> ToolResult:
    return ToolResult.of({"results": [_result_of(task) for task in ended], "note": note})


def _result_of(task: Task) -> dict[str, Any]:
    return {
        "delegation_id": task.id,
        "session_id": task.child_session_id,
        "goal": task.command.split("\n", 1)[0],
        "status": "completed" if task.status is TaskStatus.EXITED else task.status,
        "result": task.result,
    }


def _error(reason: str) -> ToolResult:
    return ToolResult.failed("invalid_arguments", as_sentence(reason))
