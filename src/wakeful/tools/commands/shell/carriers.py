"""Finds the program that runs behind carriers such as sudo, which run the command in their own words."""

import re

# For each carrier, the short options that take the next word, and how many of its own words precede the program.
_CARRIERS: dict[str, tuple[str, int]] = {
    "sudo": ("ugpCrtTDhRU", 0),
    "doas": ("uC", 0),
    "runuser": ("ug", 0),
    "env": ("uC", 0),
    "nohup": ("", 0),
    "nice": ("n", 0),
    "ionice": ("cnpPu", 0),
    "time": ("fo", 0),
    "timeout": ("sk", 1),
    "exec": ("a", 0),
    "command": ("", 0),
    "builtin": ("", 0),
    "coproc": ("", 0),
    "xargs": ("aEdILnPs", 0),
    "parallel": ("jIaS", 0),
    "stdbuf": ("ioe", 0),
    "setsid": ("", 0),
    "busybox": ("", 0),
    "chroot": ("", 1),
    "flock": ("wE", 1),
    "taskset": ("", 1),
    "strace": ("eopPsSuaE", 0),
    "systemd-run": ("pugMHt", 0),
    "npx": ("p", 0),
}
_LONG_WITH_VALUE = frozenset(
    {"--user", "--group", "--chdir", "--signal", "--kill-after", "--adjustment", "--unset", "--max-args", "--max-procs"}
    | {"--arg-file", "--delimiter", "--max-lines", "--prompt", "--host", "--class", "--classdata", "--jobs"}
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def name_of(word: str) -> str:
    return word.rpartition("/")[2]


def carried(words: list[str]) -> list[str]:
    """Return the words from the carried program on, or those of the last carrier if it carries none."""
    start = _after_assignments(words, 0)
    position = start
    while position < len(words) and name_of(words[position]) in _CARRIERS:
        start, position = position, _after_carrier(words, position)
    return words[position:] or words[start:]


def assignments_of(words: list[str]) -> list[str]:
    """Return the assignments before the program, or instead of one."""
    return words[: _after_assignments(words, 0)]


def _after_carrier(words: list[str], position: int) -> int:
    letters, own_words = _CARRIERS[name_of(words[position])]
    position += 1
    while position < len(words) and words[position].startswith("-") and words[position] != "--":
        position += 2 if _takes_next(words[position], letters) else 1
    if words[position : position + 1] == ["--"]:
        position += 1
    return _after_assignments(words, position + own_words)


def _takes_next(option: str, letters: str) -> bool:
    if option.startswith("--"):
        return option in _LONG_WITH_VALUE
    valued = [index for index, letter in enumerate(option) if letter in letters]
    # A value may also follow in the same word: -n5.
    return bool(valued) and valued[0] == len(option) - 1


def _after_assignments(words: list[str], position: int) -> int:
    while position < len(words) and _ASSIGNMENT.match(words[position]):
        position += 1
    return position
