"""What a turn is told before the conversation begins, and the files outside of the workspace that come with it."""

from dataclasses import dataclass

import orjson

# The most bytes of a memory.
MEMORY_LIMIT = 16_384


@dataclass(frozen=True, slots=True)
class Told:
    """It is fixed when the turn begins, and stored, so that a turn that goes on after a crash is told the same."""

    # The system prompt, without what a client of the API adds.
    text: str = ""
    # The file that the agent may change to remember something; empty: none.
    memory: str = ""
    # Folders of skills that the agent may read.
    skills: tuple[str, ...] = ()

    def packed(self) -> bytes:
        return orjson.dumps(self)

    @classmethod
    def unpacked(cls, stored: bytes) -> "Told":
        data = orjson.loads(stored)
        return cls(data["text"], data["memory"], tuple(data["skills"]))


NOTHING = Told()
