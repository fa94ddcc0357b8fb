"""Reads the small part of the shell's language whose meaning is certain: plain words, quotes without expansions, pipes
and lists, output to nowhere. Of anything else nothing is said: it may do whatever it likes.
"""

import re
from dataclasses import dataclass

# A word may have bare, single quoted and double quoted parts. None of their letters makes the shell do anything, but
# for patterns of file names and a tilde.
_BARE = r"[\w./,:@%+=~^*?\[\]-]"
_PART = rf"(?:{_BARE}+|'[^'\x00-\x08\x0b-\x1f\x7f]*'|\"[^\"$`\\!\x00-\x08\x0b-\x1f\x7f]*\")"
_TOKEN = re.compile(
    rf"[ \t]*(?:(?P<quiet>(?:[12]?>|&>)[ \t]*/dev/null(?![^\s;|&])|2>&1(?![^\s;|&])|[1]?>&2(?![^\s;|&]))"
    rf"|(?P<end>\|\||&&|\||;|\n)|(?P<word>{_PART}+))"
)
_QUOTES = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_GLOB = re.compile(r"[*?\[]")
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class PlainWord:
    text: str
    # The shell may replace it by names of files, which may look like options.
    is_pattern: bool = False


PlainCommand = list[PlainWord]


def plain_script(text: str) -> list[PlainCommand] | None:
    """Return the commands of a script, each as its words, or None if its meaning is not certain."""
    if len(text) > _LONGEST:
        return None
    commands: list[PlainCommand] = [[]]
    position, text = 0, text.rstrip(" \t\n")
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None or found.end() == position:
            return None
        position = found.end()
        if found["end"]:
            commands.append([])
        elif found["word"]:
            commands[-1].append(_word(found["word"]))
    return [words for words in commands if words]


def _word(raw: str) -> PlainWord:
    bare = _QUOTES.sub("", raw)
    text = _QUOTES.sub(lambda found: found[1] or found[2] or "", raw)
    return PlainWord(text, bool(_GLOB.search(bare)))
