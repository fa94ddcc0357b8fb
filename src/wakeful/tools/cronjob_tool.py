"""`cronjob`: lets an agent schedule prompts, which are said to it later."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from wakeful.errors import JobNotFound, NotAllowed
from wakeful.model.approvals.approval import Reason
from wakeful.model.approvals.reason_kinds import COMMAND
from wakeful.model.schedules.cron_job import JobFields
from wakeful.model.schedules.job_data import job_data, run_data
from wakeful.model.schedules.schedule import ScheduleError
from wakeful.model.schedules.target import target_text
from wakeful.tools.base import Intent, ToolContext, ToolResult, ToolSpec
from wakeful.tools.ports import Schedules

_ACTIONS = ("add", "list", "pause", "resume", "remove", "run")
_FIELDS = ("schedule", "prompt", "deliver", "timezone", "name")
# What the actions do that change something; each finishes the sentence "this call …".
_CHANGES = {
    "add": "schedules a prompt that is said to an agent later",
    "pause": "changes a schedule",
    "resume": "changes a schedule",
    "remove": "removes a schedule",
    "run": "says a scheduled prompt to an agent now",
}
# Given as `deliver`: the answers go to no chat.
_NOWHERE = "none"


class CronjobTool:
    spec = ToolSpec(
        name="cronjob",
        description=(
            "Schedule a prompt that is said to an agent later, once or again and again, and manage these schedules. "
            "add needs schedule and prompt; the prompt must say all that is needed, because the agent that gets it may "
            "not know this conversation. pause, resume, remove and run (fire it now) need id. In a chat the answers "
            "go to that chat unless deliver says otherwise."
        ),
        parameters={
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": list(_ACTIONS)},
                "schedule": {
                    "type": "string",
                    "description": (
                        "Five cron fields such as '0 9 * * 1-5', @hourly, @daily, @weekly, @monthly, 'every 10m', "
                        "or for once 'in 2h' or 'at 2027-01-31T09:00:00Z'."
                    ),
                },
                "prompt": {"type": "string", "description": "What the agent is to do then."},
                "deliver": {
                    "type": "string",
                    "description": "platform:chat or platform:chat:thread; 'none': to no chat.",
                },
                "timezone": {"type": "string", "description": "Such as Europe/Berlin; by default the server's."},
                "name": {"type": "string", "description": "A short name, which can be used as id."},
                "id": {"type": "string", "description": "The id or the name of a schedule."},
            },
            "required": ["action"],
        },
    )

    def __init__(self, schedules: Schedules) -> None:
        self._schedules = schedules

    async def intent(self, arguments: Mapping[str, Any], context: ToolContext) -> Intent | ToolResult:
        action = arguments.get("action")
        if action not in _CHANGES:
            return Intent()
        given = [str(arguments[name]) for name in ("id", "schedule", "prompt") if arguments.get(name)]
        reason = Reason(COMMAND, _CHANGES[action])
        return Intent(f"cronjob {action} {' '.join(given)}", (reason,))

    async def may_rerun(self, arguments: Mapping[str, Any], context: ToolContext) -> bool:
        # A second `add` of one call finds the job of the first; a second `run` would fire again.
        return arguments.get("action") != "run"

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        # Some models fill in parameters that they do not mean to use.
        given = {name: value for name, value in arguments.items() if value not in (None, "")}
        action = given.get("action")
        if action not in _ACTIONS:
            return _unfit(f"action must be one of {', '.join(_ACTIONS)}.")
        needed = {"add": ("schedule", "prompt"), "list": ()}.get(action, ("id",))
        if missing := [name for name in needed if name not in given]:
            return _unfit(f"{action} needs {' and '.join(missing)}.")
        if wrong := [name for name in (*_FIELDS, "id") if not isinstance(given.get(name, ""), str)]:
            return _unfit(f"{wrong[0]} must be a text.")
        try:
            return ToolResult.of(await self._do(action, given, context))
        except ScheduleError as error:
            return _unfit(f"{error.field}: {error}")
        except JobNotFound as error:
            return ToolResult.failed("not_found", str(error))
        except NotAllowed as error:
            return ToolResult.failed("not_allowed", str(error))

    async def _do(self, action: str, given: Mapping[str, str], context: ToolContext) -> dict[str, Any]:
        owner = await self._schedules.owner_of(context.session_id)
        named = given.get("id", "")
        match action:
            case "add":
                fields = self._fields(given, context)
                return {"job": job_data(await self._schedules.add(owner, fields, _job_id(context)))}
            case "list":
                return {"jobs": [job_data(listed) for listed in await self._schedules.all(owner)]}
            case "remove":
                return {"removed": (await self._schedules.remove(owner, named)).id}
            case "run":
                return {"run": run_data(await self._schedules.run_now(owner, named))}
        return {"job": job_data(await self._schedules.change(owner, named, {"paused": action == "pause"}))}

    def _fields(self, given: Mapping[str, str], context: ToolContext) -> JobFields:
        fields: JobFields = {name: given[name] for name in _FIELDS if name in given}  # type: ignore[assignment]
        here = context.turn.address
        if given.get("deliver") == _NOWHERE:
            fields["deliver"] = ""
        elif "deliver" not in given and self._schedules.delivers_to(here):
            fields["deliver"] = target_text(here)
        return fields


def _job_id(context: ToolContext) -> str:
    """Return the id for the job of this call, the same whenever a crash makes it run again."""
    call = f"{context.turn.id}:{context.step}:{context.index}"
    return f"cron_{sha256(call.encode()).hexdigest()[:32]}"


def _unfit(sentence: str) -> ToolResult:
    return ToolResult.failed("invalid_arguments", sentence)
