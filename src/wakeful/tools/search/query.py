"""What one call of `search_files` looks for, in the words of both engines."""

from dataclasses import asdict, dataclass

import orjson

from wakeful.tools.search.pattern import Pattern

SECONDS = 20.0
# How many characters of a line are shown, and how many bytes are read for them.
LINE_SHOWN = 500
LINE_BYTES = 4 * LINE_SHOWN + 100


@dataclass(frozen=True, slots=True)
class Query:
    # Where the search begins: a folder, and "." or the name of one file in it.
    folder: str
    start: str
    # None to list names.
    pattern: Pattern | None
    context: int
    # How many matches are printed; those of ripgrep in each file. The others are only counted.
    most: int
    reads_ignored: bool
    # Which files; "" for all. It is matched with whole paths, with and without `prefix`, which leads to the folder.
    glob: str
    prefix: str
    # Paths below the folder that are closed to tools.
    closed: tuple[str, ...] = ()

    def dump(self) -> str:
        return orjson.dumps(asdict(self)).decode()

    @classmethod
    def load(cls, text: str) -> "Query":
        fields = orjson.loads(text)
        pattern = fields["pattern"]
        fields |= {"closed": tuple(fields["closed"]), "pattern": Pattern(**pattern) if pattern else None}
        return cls(**fields)
