"""The programs that are known to only read, and the options with which some of them do more."""

import re
from collections.abc import Callable, Mapping, Sequence

from wakeful.tools.commands.reading.plain_script import PlainWord

# Whatever their options: they read files or facts of the machine, and print.
_READERS = frozenset(
    [
        "arch",
        "b2sum",
        "basename",
        "cat",
        "cksum",
        "cmp",
        "comm",
        "cut",
        "df",
        "diff",
        "dirname",
        "du",
        "echo",
        "egrep",
        "expand",
        "false",
        "fgrep",
        "fold",
        "free",
        "grep",
        "groups",
        "head",
        "hexdump",
        "id",
        "jq",
        "ls",
        "lsblk",
        "lscpu",
        "md5sum",
        "nl",
        "nproc",
        "od",
        "paste",
        "pgrep",
        "printenv",
        "ps",
        "pwd",
        "readlink",
        "realpath",
        "rev",
        "seq",
        "sha1sum",
        "sha224sum",
        "sha256sum",
        "sha384sum",
        "sha512sum",
        "stat",
        "strings",
        "sum",
        "tac",
        "tail",
        "tr",
        "true",
        "tty",
        "type",
        "uname",
        "unexpand",
        "uptime",
        "wc",
        "which",
        "whoami",
    ]
)
# Options that write, run something, or set something.
_NOT_WITH: Mapping[str, re.Pattern[str]] = {
    "file": re.compile(r"-\w*C.*|--c.*"),
    "find": re.compile(r"-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)"),
    "rg": re.compile(r"--(pre|pre-glob|hostname-bin|search-zip)(=.*)?|-\w*z\w*"),
    # Names of options may be shortened, so only some long ones are allowed.
    "sort": re.compile(r"-\w*[oTS].*|--(?!(reverse|unique|numeric-sort|version-sort|ignore-case|key=.*)$).*"),
    # The subscript of a variable may run commands: [ -v 'x[$(ls)]' ].
    "test": re.compile(r"-v"),
    "[": re.compile(r"-v"),
    "tree": re.compile(r"-\w*[oR]\w*|--output.*"),
}
_SED_SCRIPT = re.compile(r"(\d+|\$)(,(\d+|\$))?p")
# Without %n, which sets the variable that follows.
_PRINTF_FORMAT = re.compile(r"(?!-)(?:[^%]|%%|%[-+ #0-9.]*[bcdeEfgGioqsuxX])*")
_DATE_WORD = re.compile(r"\+.*|-[uRI]+|--(utc|rfc-3339=.*|iso-8601.*|universal)")
_HOSTNAME_WORD = re.compile(r"-[fsiId]+")


def only_reads(program: str, words: Sequence[PlainWord]) -> bool:
    """Return whether a program is known to only read when it gets these words."""
    if program in _READERS:
        return True
    check = _CHECKS.get(program)
    if check is not None:
        return check(words)
    forbidden = _NOT_WITH.get(program)
    # A file may be named like an option, and a pattern may find it.
    return forbidden is not None and not any(
        forbidden.fullmatch(word.text) or (word.is_pattern and word.text[:1] in "*?[-") for word in words
    )


def _reads_by_sed(words: Sequence[PlainWord]) -> bool:
    """Allow `sed -n 10,20p FILE …` alone: its scripts can write files and run commands."""
    texts = [word.text for word in words]
    is_known = texts[:1] == ["-n"] and len(texts) > 1 and _SED_SCRIPT.fullmatch(texts[1]) is not None
    return is_known and not any(word.text.startswith("-") or _may_be_option(word) for word in words[2:])


def _reads_by_uniq(words: Sequence[PlainWord]) -> bool:
    # A second operand would be written to, and an option may take the first one as its value.
    return len(words) <= 1 and not any(word.is_pattern for word in words)


def _reads_by_printf(words: Sequence[PlainWord]) -> bool:
    return bool(words) and not words[0].is_pattern and _PRINTF_FORMAT.fullmatch(words[0].text) is not None


def _reads_by_date(words: Sequence[PlainWord]) -> bool:
    return all(_DATE_WORD.fullmatch(word.text) and not word.is_pattern for word in words)


def _reads_by_hostname(words: Sequence[PlainWord]) -> bool:
    return all(_HOSTNAME_WORD.fullmatch(word.text) for word in words)


def _may_be_option(word: PlainWord) -> bool:
    return word.is_pattern and word.text[:1] in "*?["


_CHECKS: Mapping[str, Callable[[Sequence[PlainWord]], bool]] = {
    "sed": _reads_by_sed,
    "printf": _reads_by_printf,
    "uniq": _reads_by_uniq,
    "date": _reads_by_date,
    "hostname": _reads_by_hostname,
}
