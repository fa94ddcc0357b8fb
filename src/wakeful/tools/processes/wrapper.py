"""The shell around a command: it outlives the server, and writes down how the command ended.

Its arguments: the process's folder, the attempt, the working directory, the largest file in blocks of 512 bytes, the
shell for the command, the command, and for a process with a terminal the terminal's path. It is started as the leader
of a new session, with output and errors going to the file `output`; with a terminal, its input is the master side.

Why it is as it is:
- It is a text for `sh -c`: a shell reads a script file as it goes, and an upgrade would change it under its feet.
- It uses no variable but one: a name could be that of a variable in the environment of the command.
- The command is a parameter, never a part of the text. One parameter may have 128 KiB.
- Signals are caught, not ignored: what is ignored stays ignored in the command. TERM before the command has begun
  ends the wrapper.
- `exit` is written by one small write and counts only with its newline, so it needs no second name and no `mv`, for
  which there may be no room in a full process table. Its room on the disk is taken at the start, and the code is
  written over what stands there (`1<>` does not cut the file off): a command that fills the disk keeps its code.
- The EXIT trap also catches the wrapper's own failures, such as a fork that is refused.
- Its last act is KILL to its own group, itself included.
- What holds `stdin` open, or carries a terminal's bytes, ignores the signals that are meant for the command, and
  does so from its birth.
- A terminal's last output is carried over before the end: the carrier ends when nobody has the terminal any more. Who
  keeps it in the background hears HUP, as from any terminal that closes, and has one second.
"""

from pathlib import Path

COMMAND_LIMIT = 100_000
BLOCK = 512

_SCRIPT = r"""
set -C
read -r wakeful_stat </proc/self/stat
{ echo "$wakeful_stat" >"$1/started.$2"; } 2>/dev/null || exit 125
set +C
{ echo reserved >"$1/exit"; } 2>/dev/null
trap 'echo $? 1<>"$1/exit"; kill -KILL 0' EXIT
ulimit -f "$4" 2>/dev/null
trap '' HUP INT QUIT TERM
if [ -n "$7" ]; then
    exec 8<&0 <"$7" >"$7" 2>&1
    cat <&8 >>"$1/output" 2>/dev/null 8<&- &
    set -- "$@" $!
    cat <>"$1/stdin" >&8 2>/dev/null 8<&- &
    exec 8<&-
    trap 'echo $? 1<>"$1/exit"
        exec </dev/null >/dev/null 2>&1
        trap "" HUP
        kill -HUP 0
        (sleep 1; kill -KILL 0) &
        wait "$8"
        kill -KILL 0' EXIT
elif [ -p "$1/stdin" ]; then
    exec 8<>"$1/stdin" 9>"$1/stdin" <"$1/stdin"
    sleep 2147483647 </dev/null >/dev/null 2>&1 8<&- &
    echo $! >"$1/holder"
    exec 8<&- 9>&-
fi
trap - HUP INT QUIT
trap 'exit 143' TERM
cd -- "$3" || exit 126
trap : HUP INT QUIT TERM USR1 USR2
"$5" -c "$6"
exit $?
"""


def wrapper_arguments(
    folder: Path, attempt: int, *, workdir: str, largest_file: int, shell: str, command: str, terminal: str
) -> list[str]:
    blocks = largest_file // BLOCK
    return [
        "/bin/sh", "-c", _SCRIPT, "wakeful",
        str(folder), str(attempt), workdir, str(blocks), shell, command, terminal,
    ]  # fmt: skip
