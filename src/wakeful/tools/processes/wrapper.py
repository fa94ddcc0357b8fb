"""The shell around a command: it outlives the server and writes the command's exit code.

Its arguments: the process's folder, the attempt, the working directory, the size limit for files in blocks of 512
bytes, the path of the terminal, if any, "sandbox" if one is around the command, and the command as words. It is
started as the leader of a new session, with stdout and stderr going to the file `output`; with a terminal, its stdin
is the master side.

Why it is written this way:
- It is a text for `sh -c`: a shell reads a script file bit by bit, and an upgrade would change the file under it.
- It sets a single variable: any name could be that of a variable in the environment of the command.
- The command is a parameter, never a part of the text. One parameter may have 128 KiB.
- A sandbox ignores the signals for the command, which gets them itself: else it would end before the command has
  cleaned up.
- Signals are caught, not ignored: an ignored signal stays ignored in the command. TERM before the command has started
  ends the wrapper.
- `exit` is written by one small write and counts only with its newline, so it needs no temporary file and no `mv`,
  which a full process table might refuse. Its disk space is reserved at the start, and the code overwrites what is
  there (`1<>` does not truncate the file): a command that fills the disk keeps its exit code.
- The EXIT trap also catches failures of the wrapper itself, such as a fork that is refused.
- The wrapper's last act is KILL to its own group, itself included.
- The processes that hold `stdin` open or copy a terminal's bytes ignore signals for the command, from their start.
- A terminal's last output is copied before the end: the copying `cat` ends when no process has the terminal open. A
  background child that keeps it open gets HUP, as from any terminal that closes, and has one second.
"""

from collections.abc import Sequence
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
if [ -n "$5" ]; then
    exec 8<&0 <"$5" >"$5" 2>&1
    cat <&8 >>"$1/output" 2>/dev/null 8<&- &
    wakeful_stat=$!
    cat <>"$1/stdin" >&8 2>/dev/null 8<&- &
    exec 8<&-
    trap 'echo $? 1<>"$1/exit"
        exec </dev/null >/dev/null 2>&1
        trap "" HUP
        kill -HUP 0
        (sleep 1; kill -KILL 0) &
        wait "$wakeful_stat"
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
(
    if [ -n "$6" ]; then trap '' HUP INT QUIT TERM USR1 USR2; fi
    shift 6
    exec "$@"
)
exit $?
"""


def wrapper_arguments(
    folder: Path,
    attempt: int,
    *,
    workdir: str,
    largest_file: int,
    command: Sequence[str],
    terminal: str,
    is_sandboxed: bool = False,
) -> list[str]:
    """`command` is the whole command line, with the sandbox around it, if any."""
    blocks, sandbox = largest_file // BLOCK, "sandbox" if is_sandboxed else ""
    return [
        "/bin/sh", "-c", _SCRIPT, "wakeful",
        str(folder), str(attempt), workdir, str(blocks), terminal, sandbox, *command,
    ]  # fmt: skip
