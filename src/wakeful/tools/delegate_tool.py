"""`delegate_task`: hands goals to sub-agents, each in a new session."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wakeful.context import async_delivery_supported
from wakeful.errors import ConfigError, TooManyDelegations
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Task, TaskStatus
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec, TurnTools, Unusable
from wakeful.tools.ports import Delegator, MemoryDelegator

_SYNCHRONOUSLY = (
    "This channel cannot deliver a result later, so the sub-agents ran synchronously, in this turn: "
    "the results are here, and no further message will come."
)
_MODEL = "The model that it uses, as provider:model, if not yours"
_TOOL_WORDS = "The only tools that it may use, a choice of yours; delegate_task among them lets it delegate further"
_TOOLS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_NOTICES_WILL_COME = "You will be told once for each, when it is done; there is no need to wait or to ask."

# Returns the full name of a model. Raises ConfigError, with what is known.
FindModelName = Callable[[str], Awaitable[str]]


class DelegateTool:
    spec = ToolSpec(
        name="delegate_task",
        description=(
            "Hand a goal, or several at once, to sub-agents. Each works in a new session, with the same tools, model "
            "and folder unless you name others, but without this conversation: put all that it needs to know into "
            "goal and context. By default the call waits and returns the results. With background=true it returns at "
            "once, and a message comes when a sub-agent is done; on a channel that cannot deliver later it waits all "
            "the same, and its note says so. process(action='list'), 'poll', 'wait' and 'kill' work on delegation ids "
            "too."
        ),
        parameters={
            "type": "object",
            "properties": {
                "goal": {"type": "string", "description": "What the sub-agent is to achieve."},
                "context": {"type": "string", "description": "What it must know; with tasks, what all must know."},
                "model": {"type": "string", "description": f"{_MODEL}; with tasks, for all that name none."},
                "tools": {**_TOOLS, "description": f"{_TOOL_WORDS}; with tasks, for all that name none."},
                "tasks": {
                    "type": "array",
                    "description": "Several goals at once, instead of goal.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "goal": {"type": "string"},
                            "context": {"type": "string"},
                            "model": {"type": "string"},
                            "tools": _TOOLS,
                        },
                        "required": ["goal"],
                    },
                },
                "background": {"type": "boolean", "description": "Return at once and deliver the results later."},
            },
        },
    )

    def __init__(self, delegator: Delegator, in_memory: MemoryDelegator, find_model: FindModelName) -> None:
        """`in_memory` is for turns that are not stored."""
        self._find_model = find_model
        self._delegator = delegator
        self._in_memory = in_memory

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        # What the sub-agents do passes the gate by itself.
        return Intent()

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        # The delegator finds the sub-agents of the first run again.
        return True

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        wants_background = arguments.get("background", False)
        try:
            if not isinstance(wants_background, bool):
                raise Unusable("background must be true or false.")
            goals = await self._chosen(_goals_of(arguments), context)
            if context.turn.is_ephemeral:
                tasks = await self._in_memory.delegate(context.turn, goals)
            else:
                tasks = await self._begin(context, goals, wants_background=wants_background)
        except Unusable as error:
            return ToolResult.failed(error.code, str(error))
        except TooManyDelegations as error:
            return ToolResult.failed("too_large", str(error))
        if not tasks[0].is_inline:
            return _dispatched(tasks)
        return _results(tasks, _SYNCHRONOUSLY if wants_background else "")

    async def _begin(self, context: ToolContext, goals: Sequence[Goal], *, wants_background: bool) -> list[Task]:
        """Start the sub-agents, and wait for those that run inline."""
        is_inline = not (wants_background and async_delivery_supported())
        tasks = await self._delegator.begin(context.turn, context.step, context.index, goals, is_inline=is_inline)
        return await self._delegator.ended([task.id for task in tasks]) if tasks[0].is_inline else tasks

    async def _chosen(self, goals: Sequence[Goal], context: ToolContext) -> Sequence[Goal]:
        """Return the goals with full names of models, and with no tools that this turn lacks. Raises Unusable."""
        try:
            return [await self._checked(goal, context.tools) for goal in goals]
        except Unusable:
            # A model or a server of tools may have gone since a crash: the sub-agents that run have theirs.
            if not context.turn.is_ephemeral and await self._delegator.begun(context.turn, context.step, context.index):
                return goals
            raise

    async def _checked(self, goal: Goal, offered: TurnTools) -> Goal:
        unknown = [name for name in goal.tools or () if name not in offered.names]
        if unknown:
            listed = ", ".join(sorted(offered.names))
            raise Unusable(f"There is no tool {unknown[0]!r} to hand on; you can choose from: {listed}.")
        tools = tuple(sorted(offered.names)) if goal.tools is None and offered.is_limited else goal.tools
        try:
            model = await self._find_model(goal.model) if goal.model else ""
        except ConfigError as error:
            raise Unusable(str(error)) from error
        return replace(goal, model=model, tools=tools)


def _goals_of(arguments: Mapping[str, Any]) -> list[Goal]:
    """Return a goal for each sub-agent. Raises Unusable."""
    given = arguments.get("tasks")
    # Some models fill in parameters that they do not mean to use.
    if given is None or given == []:
        return [_goal_of(arguments, {})]
    if arguments.get("goal"):
        raise Unusable("Give either goal or tasks, not both.")
    if not isinstance(given, list):
        raise Unusable("tasks must be a list of goals.")
    return [_goal_of(part, arguments) for part in given]


def _goal_of(part: Any, shared: Mapping[str, Any]) -> Goal:
    """Return the goal with its context; its own model and tools go before those for all. Raises Unusable."""
    texts: list[Any] = []
    if isinstance(part, Mapping):
        texts = [part.get("goal"), shared.get("context") or "", part.get("context") or ""]
    if not texts or not all(isinstance(text, str) for text in texts) or not texts[0].strip():
        raise Unusable("Every goal must be a string that says what to achieve, and every context a string.")
    goal, *contexts = (text.strip() for text in texts)
    context = "\n\n".join(text for text in contexts if text)
    text = f"{goal}\n\nContext:\n{context}" if context else goal
    model = part.get("model") or shared.get("model") or ""
    if not isinstance(model, str):
        raise Unusable("model must be the name of a model.")
    own = part.get("tools")
    return Goal(text, model.strip(), _tools_of(shared.get("tools") if own is None else own))


def _tools_of(given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise Unusable("tools must be a list of names of tools.")
    return tuple(dict.fromkeys(given))


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
