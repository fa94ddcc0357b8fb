"""Commands that a person should be asked about: what cannot be undone, reaches out of the workspace, or takes the
machine away. It is a help against accidents, not a wall: who wants to hide a command from it can.
"""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from wakeful.tools.command_place import Place, place_of
from wakeful.tools.shell_words import SimpleCommand, inside_of, simple_commands, starts_of_find


@dataclass(frozen=True, slots=True)
class Danger:
    name: str
    # Why, in words that finish the sentence "this command …".
    reason: str


Check = Callable[[SimpleCommand, Place], bool]


def find_danger(command: str, workdir: Path, workspace: Path) -> Danger | None:
    """The first danger in a command; None when it seems harmless."""
    if _FORK_BOMB.search(command):
        return Danger("fork_bomb", "starts copies of itself without end")
    if any(map(_runs_download, re.split(r";|&&|\|\||\n", command))):
        return Danger("run_download", "runs a program straight from the network")
    places: dict[tuple[int, ...], Place] = {(): place_of(workdir, workspace)}
    for simple in simple_commands(command):
        place = _place_of(simple.shell, places)
        if simple.program in ("cd", "pushd"):
            places[simple.shell] = place.moved(simple.operands[0] if simple.operands else "~")
        for check, danger in _RULES:
            if check(simple, place):
                return danger
    return None


def is_shell(command: str) -> bool:
    """Whether what is typed into this command is run, so that it should be looked at too. It is rather said too often:
    a shell in the arguments counts, as in docker exec -it box bash.
    """
    return any(map(_reads_commands, simple_commands(command)))


def _reads_commands(simple: SimpleCommand) -> bool:
    if simple.program in ("sudo", "doas"):
        return simple.has_flag("si", "--shell", "--login")
    if simple.program in ("echo", "printf", "grep", "rg", "cat", "git", "ls", "which", "man", "rm", "cp", "mv"):
        return False
    words = (simple.program, *simple.arguments)
    return simple.is_cut or any(_READING_COMMANDS.fullmatch(word.rpartition("/")[2]) for word in words)


def _place_of(shell: tuple[int, ...], places: dict[tuple[int, ...], Place]) -> Place:
    """A shell begins where the one around it is."""
    while shell not in places:
        shell = shell[:-1]
    return places[shell]


def _runs_download(pipeline: str) -> bool:
    if (fetched := _FETCH.search(pipeline)) and _INTO_SHELL.search(pipeline, fetched.end()):
        return True
    inner = _INNER_FETCH.search(pipeline)
    return bool(inner and _SHELL_BEFORE.search(pipeline[: inner.start()]))


def _is_unclear(simple: SimpleCommand, place: Place) -> bool:
    return simple.is_cut


def _deletes_outside(simple: SimpleCommand, place: Place) -> bool:
    if simple.program in ("rm", "rimraf"):
        is_sweeping = simple.program == "rimraf" or simple.is_listed or simple.has_flag("rR", "--recursive")
        return is_sweeping and place.has_outside(simple.operands)
    if simple.program == "find":
        text = " ".join(simple.arguments)
        is_deleting = bool(re.search(r"(^| )-(delete\b|(exec|ok)(dir)? (\S*/)?rm\b)", text))
        return is_deleting and place.has_outside(map(inside_of, starts_of_find(simple.arguments)))
    if simple.program == "rsync":
        is_deleting = any(re.match(r"--del(ete)?\b", option) for option in simple.options)
        return is_deleting and any(":" in to or place.has_outside([inside_of(to)]) for to in simple.operands[-1:])
    # Typed into an interpreter: what it is called with cannot be told here.
    return bool(_DELETING_CALL.fullmatch(simple.program))


def _changes_rights_outside(simple: SimpleCommand, place: Place) -> bool:
    if simple.program not in ("chmod", "chown", "chgrp") or not simple.has_flag("R", "--recursive"):
        return False
    has_own_word = not any(re.fullmatch(r"-[rwxXst]+|--reference=.*", option) for option in simple.options)
    return place.has_outside(map(inside_of, simple.operands[1 if has_own_word else 0 :]))


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
        written += simple.operands[-1:] + _target_folders(simple)
    elif simple.program in ("sed", "perl") and any(map(_IN_PLACE.match, simple.options)):
        written += simple.operands
    elif simple.program == "dd":
        written += [argument.removeprefix("of=") for argument in simple.arguments if argument.startswith("of=")]
    return place.has_system(written)


def _target_folders(simple: SimpleCommand) -> list[str]:
    """Those that are named before what is put there: cp -t folder file."""
    if simple.program == "rsync":
        return []
    folders = [following for option, following in pairwise(simple.arguments) if _TARGET_FOLDER.fullmatch(option)]
    return folders + [option.partition("=")[2] for option in simple.options if option.startswith("--t")]


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
    if _git_verb(simple) != "push":
        return False
    return simple.has_flag("f", "--force", "--mirror") or any(name.startswith("+") for name in simple.operands)


def _discards_work(simple: SimpleCommand, place: Place) -> bool:
    verb = _git_verb(simple)
    is_reset = verb == "reset" and simple.has_flag("", "--hard")
    return is_reset or (verb == "clean" and simple.has_flag("f", "--force"))


def _git_verb(simple: SimpleCommand) -> str | None:
    if simple.program != "git":
        return None
    rest = iter(simple.arguments)
    for word in rest:
        if word in ("-C", "-c", "--git-dir", "--work-tree", "--namespace"):
            next(rest, None)
        elif not word.startswith("-"):
            return word
    return None


def _drops_data(simple: SimpleCommand, place: Place) -> bool:
    if simple.program == "dropdb":
        return True
    if simple.program.lower() in ("drop", "truncate", "delete"):
        # Typed into a client.
        return bool(_DROP.match(" ".join((simple.program, *simple.arguments))))
    return simple.program in _DATABASE_CLIENTS and any(map(_DROP.search, (*simple.arguments, *simple.inputs)))


def _drops_schedules(simple: SimpleCommand, place: Place) -> bool:
    return simple.program == "crontab" and simple.has_flag("r")


def _removes_user(simple: SimpleCommand, place: Place) -> bool:
    return simple.program in ("userdel", "deluser", "groupdel", "delgroup")


_DEVICE = re.compile(r"/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md|dm-|mem)")
_IN_PLACE = re.compile(r"-[nErsuzlpaw0]*i|--in-p")
_TARGET_FOLDER = re.compile(r"-[A-Za-z]*t|--t[a-z-]*")
_DELETING_CALL = re.compile(r"([\w.]+\.)?(rmtree|remove_tree|rmSync|rmdirSync|rm_rf|removeSync)")
_READING_COMMANDS = re.compile(
    r"(ba|da|z|k|mk|a|c|tc|fi|pw|nu)?sh|su|ssh|mosh|telnet|tmux|screen|script|busybox|xonsh|nix-shell"
    r"|i?python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|ruby|irb|perl|php|lua|R|ghci|iex|erl|julia|expect"
    r"|psql|mysql|mariadb|sqlite3|duckdb|sqlcmd|clickhouse-client|mongosh|redis-cli|shell|console"
)
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
    (_is_unclear, Danger("unclear", "is too long or too nested to be looked through")),
)
