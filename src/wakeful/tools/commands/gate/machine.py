"""Finds commands that harm the machine: its disks, services, users, schedules and processes."""

from collections.abc import Iterator

from wakeful.model.approvals.reason_kinds import (
    DROP_SCHEDULES,
    FORMAT_DISK,
    KILL_EVERYTHING,
    REMOVE_USER,
    STOP_MACHINE,
    STOP_SERVICE,
    UNCLEAR,
)
from wakeful.tools.commands.gate.finding import Finding
from wakeful.tools.commands.gate.location import Location
from wakeful.tools.commands.shell.command import SimpleCommand

_FORMATTERS = ("mke2fs", "mkswap", "wipefs", "fdisk", "parted")
_ENDS = ("poweroff", "reboot", "halt", "kexec", "suspend")


def formats_disk(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    if command.program.startswith("mkfs") or command.program in _FORMATTERS:
        disk = command.operands[-1] if command.operands else None
        yield Finding(FORMAT_DISK, f"formats or partitions {disk or 'a disk'}", disk)


def stops_machine(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    is_level = command.program in ("init", "telinit") and {"0", "6"} & set(command.operands)
    is_verb = command.program == "systemctl" and any(verb in _ENDS for verb in command.operands[:1])
    if is_level or is_verb or command.program in ("shutdown", "reboot", "halt", "poweroff"):
        yield Finding(STOP_MACHINE, "stops or restarts the machine")


def stops_service(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    verbs = ("stop", "disable", "mask", "kill", "isolate")
    if command.program == "systemctl" and any(verb in verbs for verb in command.operands[:1]):
        yield Finding(STOP_SERVICE, f"stops the service {' '.join(command.operands[1:3]) or 'of the machine'}")
    elif command.program == "service" and "stop" in command.operands[1:]:
        yield Finding(STOP_SERVICE, f"stops the service {command.operands[0]}")


def kills_everything(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    if command.program == "kill" and "-1" in command.arguments[1:]:
        yield Finding(KILL_EVERYTHING, "ends every process that it may")


def drops_schedules(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    if command.program != "crontab":
        return
    if command.has_flag("r"):
        yield Finding(DROP_SCHEDULES, "deletes all scheduled commands of the user")
    elif not command.has_flag("leV") and (command.arguments or command.sources or command.is_piped):
        yield Finding(DROP_SCHEDULES, "replaces all scheduled commands of the user")


def removes_user(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    if command.program in ("userdel", "deluser", "groupdel", "delgroup"):
        yield Finding(REMOVE_USER, f"removes {' '.join(command.operands) or 'a user or a group'} from the machine")


def is_unclear(command: SimpleCommand, location: Location) -> Iterator[Finding]:
    if command.is_cut:
        yield Finding(UNCLEAR, "is too long or too nested to be checked")
    elif command.program.startswith("$") and command.has_flag("rR") and command.has_flag("f"):
        yield Finding(UNCLEAR, f"runs {command.program}, and which program that is cannot be known")
