"""Recognises programs that run what is typed into them."""

import re

from wakeful.tools.commands.shell.command import SimpleCommand

PLAIN_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish"})
# Programs that run their input on another machine or in another file system.
_ELSEWHERE = frozenset(
    [
        "ssh",
        "mosh",
        "telnet",
        "docker",
        "podman",
        "kubectl",
        "chroot",
        "nsenter",
        "lxc",
        "incus",
        "vagrant",
        "multipass",
        "machinectl",
        "wsl",
    ]
)
_INTERPRETERS = re.compile(
    r"(ba|da|z|k|mk|a|c|tc|fi|pw|nu)?sh|su|ssh|mosh|telnet|tmux|screen|script|busybox|xonsh|nix-shell"
    r"|i?python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|ruby|irb|perl|php|lua|R|ghci|iex|erl|julia|expect"
    r"|psql|mysql|mariadb|sqlite3|duckdb|sqlcmd|clickhouse-client|mongosh|redis-cli|shell|console"
)
_TAKES_NAMES = ("echo", "printf", "grep", "rg", "cat", "git", "ls", "which", "man", "rm", "cp", "mv", "cd", "mkdir")


def is_interpreter(command: SimpleCommand) -> bool:
    """Return whether the command runs what is typed into it. False positives are fine here: a shell among the arguments
    counts, as in docker exec -it box bash.
    """
    if command.program in ("sudo", "doas"):
        return command.has_flag("si", "--shell", "--login")
    if command.program in _TAKES_NAMES:
        return False
    words = (command.program, *command.arguments)
    return command.is_cut or any(_INTERPRETERS.fullmatch(word.rpartition("/")[2]) for word in words)


def is_elsewhere(command: SimpleCommand) -> bool:
    return command.program in _ELSEWHERE


def starts_anew(command: SimpleCommand) -> bool:
    """Return whether the command starts in another folder, such as the home of another user."""
    is_login = command.program in ("sudo", "doas", "su") or command.has_flag("l", "--login")
    return is_login or command.program in ("tmux", "screen", "make", "npm", "nix-shell")
