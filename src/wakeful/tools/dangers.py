"""Commands that a person should be asked about: what cannot be undone, reaches out of the workspace, or takes the
machine away. It is a help against accidents, not a wall: who wants to hide a command from it can.
"""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wakeful.tools.shell_words import SimpleCommand, simple_commands


@dataclass(frozen=True, slots=True)
class Danger:
    name: str
    # Why, in words that finish the sentence "this command …".
    reason: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command runs. `directory` is None when it has changed to one that cannot be told; the workspace is
    named without links.
    """

    directory: Path | None
    workspace: Path

    def resolve(self, operand: str) -> Path | None:
        """None when it cannot be told."""
        if re.search(r"[$`]", operand) or re.match(r"~[^/]", operand):
            return None
        path = Path(operand).expanduser()
        if not path.is_absolute():
            if self.directory is None:
                return None
            path = self.directory / path
        # What is named is the link, not what it leads to.
        return Path(os.path.realpath(path) if path.name == ".." else f"{os.path.realpath(path.parent)}/{path.name}")

    def is_outside(self, operand: str) -> bool:
        """The workspace as a whole counts as outside too."""
        path = self.resolve(operand)
        return path is None or self.workspace not in path.parents

    def is_system(self, operand: str) -> bool:
        path = self.resolve(operand)
        if path is None or not self.is_outside(operand):
            return False
        return any(path == root or root in path.parents for root in _system_roots())


Check = Callable[[SimpleCommand, Place], bool]


def find_danger(command: str, workdir: Path, workspace: Path) -> Danger | None:
    """The first danger in a command; None when it seems harmless."""
    if _FORK_BOMB.search(command):
        return Danger("fork_bomb", "starts copies of itself without end")
    if any(map(_runs_download, re.split(r";|&&|\|\||\n", command))):
        return Danger("run_download", "runs a program straight from the network")
    workspace = Path(os.path.realpath(workspace))
    place = Place(workdir, workspace)
    for simple in simple_commands(command):
        if simple.program in ("cd", "pushd"):
            place = Place(place.resolve(simple.operands[0] if simple.operands else "~"), workspace)
        for check, danger in _RULES:
            if check(simple, place):
                return danger
    return None


def _runs_download(pipeline: str) -> bool:
    if (fetched := _FETCH.search(pipeline)) and _INTO_SHELL.search(pipeline, fetched.end()):
        return True
    inner = _INNER_FETCH.search(pipeline)
    return bool(inner and _SHELL_BEFORE.search(pipeline[: inner.start()]))


def _deletes_outside(simple: SimpleCommand, place: Place) -> bool:
    if simple.program == "rm":
        return simple.has_flag("rR", "--recursive") and any(map(place.is_outside, set(simple.operands)))
    if simple.program == "find":
        text = " ".join(simple.arguments)
        is_deleting = "-delete" in simple.arguments or re.search(r"-exec(dir)? (\S*/)?rm\b", text)
        return bool(is_deleting) and any(place.is_outside(_inside_of(start)) for start in _starts_of_find(simple))
    return False


def _starts_of_find(simple: SimpleCommand) -> Sequence[str]:
    starts: list[str] = []
    for argument in simple.arguments:
        if argument.startswith(("-", "!")):
            break
        starts.append(argument)
    return starts or ["."]


def _inside_of(start: str) -> str:
    """find deletes what is in its start, not the start itself."""
    return f"{start}/x"


def _changes_rights_outside(simple: SimpleCommand, place: Place) -> bool:
    if simple.program not in ("chmod", "chown", "chgrp") or not simple.has_flag("R", "--recursive"):
        return False
    return any(map(place.is_outside, simple.operands[1:]))


def _formats(simple: SimpleCommand, place: Place) -> bool:
    return simple.program.startswith("mkfs") or simple.program in ("mke2fs", "mkswap", "wipefs", "fdisk", "parted")


def _overwrites_device(simple: SimpleCommand, place: Place) -> bool:
    written = [argument.removeprefix("of=") for argument in simple.arguments if argument.startswith("of=")]
    if simple.program in ("tee", "shred", "cp", "mv"):
        written += simple.operands
    return any(_DEVICE.match(target) for target in (*written, *simple.targets))


def _writes_to_system(simple: SimpleCommand, place: Place) -> bool:
    written = list(simple.targets)
    if simple.program in ("tee", "truncate", "shred", "rm", "unlink"):
        written += simple.operands
    elif simple.program in ("cp", "mv", "ln", "install", "rsync"):
        written += simple.operands[-1:]
    elif simple.program in ("sed", "perl") and simple.has_flag("i", "--in-place"):
        written += simple.operands
    elif simple.program == "dd":
        written += [argument.removeprefix("of=") for argument in simple.arguments if argument.startswith("of=")]
    return any(map(place.is_system, written))


def _stops_machine(simple: SimpleCommand, place: Place) -> bool:
    if simple.program in ("init", "telinit"):
        return any(level in ("0", "6") for level in simple.operands)
    if simple.program == "systemctl":
        return any(verb in ("poweroff", "reboot", "halt", "kexec", "suspend") for verb in simple.operands[:1])
    return simple.program in ("shutdown", "reboot", "halt", "poweroff")


def _stops_service(simple: SimpleCommand, place: Place) -> bool:
    if simple.program == "systemctl":
        return any(verb in ("stop", "disable", "mask", "kill", "isolate") for verb in simple.operands[:1])
    return simple.program == "service" and "stop" in simple.operands[1:]


def _kills_everything(simple: SimpleCommand, place: Place) -> bool:
    return simple.program == "kill" and "-1" in simple.arguments[1:]


def _kills_server(simple: SimpleCommand, place: Place) -> bool:
    if simple.program == "kill":
        return bool({str(os.getpid()), str(os.getppid())} & set(simple.arguments))
    return simple.program in ("pkill", "killall") and any(
        re.fullmatch(r".*wakeful.*|python[\d.]*|uvicorn", name) for name in simple.operands
    )


def _forces_push(simple: SimpleCommand, place: Place) -> bool:
    if simple.program != "git" or "push" not in simple.operands:
        return False
    return simple.has_flag("f", "--force", "--mirror") or any(name.startswith("+") for name in simple.operands)


def _discards_work(simple: SimpleCommand, place: Place) -> bool:
    if simple.program != "git":
        return False
    is_reset = "reset" in simple.operands and "--hard" in simple.arguments
    return is_reset or ("clean" in simple.operands and simple.has_flag("f", "--force"))


def _drops_data(simple: SimpleCommand, place: Place) -> bool:
    if simple.program == "dropdb":
        return True
    return simple.program in _DATABASE_CLIENTS and any(map(_DROP.search, simple.arguments))


def _drops_schedules(simple: SimpleCommand, place: Place) -> bool:
    return simple.program == "crontab" and simple.has_flag("r")


def _removes_user(simple: SimpleCommand, place: Place) -> bool:
    return simple.program in ("userdel", "deluser", "groupdel", "delgroup")


def _system_roots() -> Sequence[Path]:
    home = Path.home()
    return [Path(root) for root in _SYSTEM] + [home / name for name in (".ssh", ".gnupg")]


_SYSTEM = ("/etc", "/boot", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/sys", "/proc/sys", "/var/lib", "/var/spool")
_DEVICE = re.compile(r"/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md|dm-|mem)")
_DATABASE_CLIENTS = ("psql", "mysql", "mariadb", "sqlite3", "duckdb", "sqlcmd", "clickhouse-client", "mongosh")
_DROP = re.compile(
    r"\bdrop\s+(table|database|schema)\b|\btruncate\s+table\b|\bdelete\s+from\s+\S+\s*(;|$)|dropDatabase\(",
    re.IGNORECASE,
)

# Nothing here may look twice at the same text: a command can have 100,000 characters.
_FORK_BOMB = re.compile(r"(?<![\w:.])([\w:.]{1,50})\s?\(\)\s?\{\s?\1\s?\|\s?\1\s?&\s?\}")
_FETCH = re.compile(r"\b(curl|wget)\b")
_INTO_SHELL = re.compile(r"\|\s?(sudo )?[\w/]{0,20}\b((ba|da|z|k)?sh\b|python[\d.]{0,5} ?-?\s?($|\|))")
_INNER_FETCH = re.compile(r"(<\(|\$\(|`)\s?(curl|wget)\b")
_SHELL_BEFORE = re.compile(r"^\s?[\"']?$|(^|[\s(\"'])((ba|da|z|k)?sh|eval|source|\.)\s")

_RULES: Sequence[tuple[Check, Danger]] = (
    (_deletes_outside, Danger("delete_outside", "deletes a folder outside of the workspace, with all that is in it")),
    (_formats, Danger("format_disk", "formats or partitions a disk")),
    (_overwrites_device, Danger("overwrite_device", "writes to a device")),
    (_writes_to_system, Danger("write_to_system", "changes files of the system or keys of the user")),
    (
        _changes_rights_outside,
        Danger("rights_outside", "changes the rights of a whole folder outside of the workspace"),
    ),
    (_stops_machine, Danger("stop_machine", "stops the machine or starts it anew")),
    (_stops_service, Danger("stop_service", "stops a service of the machine")),
    (_kills_everything, Danger("kill_everything", "ends every process that it may")),
    (_kills_server, Danger("kill_server", "may end this server itself")),
    (_forces_push, Danger("force_push", "overwrites what others may have in the remote repository")),
    (_discards_work, Danger("discard_work", "throws away work that was not committed")),
    (_drops_data, Danger("drop_data", "deletes data of a database")),
    (_drops_schedules, Danger("drop_schedules", "deletes all scheduled commands of the user")),
    (_removes_user, Danger("remove_user", "removes a user or a group of the machine")),
)
