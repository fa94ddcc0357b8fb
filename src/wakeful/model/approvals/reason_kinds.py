"""The kinds of reasons to ask a person about a call. Their ids are written here and nowhere else.

A grant covers one kind. Kinds with a name after a colon, such as `mcp:NAME`, share the words of the part before it.
"""

from collections.abc import Mapping
from types import MappingProxyType

DELETE_OUTSIDE = "delete_outside"
WRITE_OUTSIDE = "write_outside"
WRITE_TO_SYSTEM = "write_to_system"
RIGHTS_OUTSIDE = "rights_outside"
FORMAT_DISK = "format_disk"
OVERWRITE_DEVICE = "overwrite_device"
STOP_MACHINE = "stop_machine"
STOP_SERVICE = "stop_service"
KILL_EVERYTHING = "kill_everything"
FORK_BOMB = "fork_bomb"
RUN_DOWNLOAD = "run_download"
FORCE_PUSH = "force_push"
DISCARD_WORK = "discard_work"
DROP_DATA = "drop_data"
DROP_SCHEDULES = "drop_schedules"
REMOVE_USER = "remove_user"
RUNS_LATER = "runs_later"
EDIT = "edit"
COMMAND = "command"
MEMORY = "memory"
MCP = "mcp"
# A call of an MCP tool that needs no question, because of its hint or its server.
MCP_UNASKED = "mcp_unasked"
# Input of a program that does not run it, but may write it to a file.
INPUT = "input"
HOME = "home"
UNCLEAR = "unclear"

# Each finishes the sentence "Commands that … run without asking".
KIND_WORDS: Mapping[str, str] = MappingProxyType(
    {
        DELETE_OUTSIDE: "delete outside of the folder",
        WRITE_OUTSIDE: "overwrite files outside of the folder",
        WRITE_TO_SYSTEM: "change files of the system or keys of the user",
        RIGHTS_OUTSIDE: "change rights outside of the folder",
        FORMAT_DISK: "format or partition a disk",
        OVERWRITE_DEVICE: "write to a device",
        STOP_MACHINE: "stop the machine or start it anew",
        STOP_SERVICE: "stop services of the machine",
        KILL_EVERYTHING: "end every process that they may",
        FORK_BOMB: "start copies of themselves without end",
        RUN_DOWNLOAD: "run programs straight from the network",
        FORCE_PUSH: "overwrite what is in a remote repository",
        DISCARD_WORK: "discard uncommitted work",
        DROP_DATA: "delete data of a database",
        DROP_SCHEDULES: "delete all scheduled commands",
        REMOVE_USER: "remove users or groups of the machine",
        RUNS_LATER: "change files that other programs run by themselves",
        EDIT: "change files of the folder",
        COMMAND: "do more than read",
        MEMORY: "change what is remembered of you",
        MCP: "use tools of MCP servers",
        MCP_UNASKED: "use tools of MCP servers that need no question",
        INPUT: "type into programs that do not run what is typed",
        HOME: "touch the server's own files or process",
        UNCLEAR: "cannot be looked through",
    }
)

# Nobody is asked about these: only the mode read_only refuses them.
UNASKED = frozenset({MCP_UNASKED, INPUT})

# A grant of these would allow everything, or something that cannot be known beforehand: no grant covers them.
ONCE_ONLY = frozenset({HOME, UNCLEAR})


def describe_kind(kind: str) -> str:
    """Return words for what a grant of this kind allows, also for a kind that only a newer version knows."""
    family, _, name = kind.partition(":")
    if family == MCP and name:
        return f"use tools of the MCP server {name}"
    return KIND_WORDS.get(kind) or KIND_WORDS.get(family) or f"are of the kind {kind}"
