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
    # How many matches of one file are printed; the rest of the file is only counted.
    most: int
    reads_ignored: bool
    # Only files whose names match; "" for all. It lets through at least what the call's glob does.
    name_glob: str
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
