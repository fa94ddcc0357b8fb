"""The system prompt of a turn, and the files outside of the workspace that it opens to the agent."""

from dataclasses import dataclass

import orjson

# The most bytes of a memory.
MEMORY_LIMIT = 16_384


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """Fixed when the turn begins, and stored: a turn that resumes after a crash gets the same one."""

    # Without the instructions of an API client.
    text: str = ""
    # The file that the agent may change to remember something; empty: none.
    memory: str = ""
    # Folders of skills that the agent may read.
    skills: tuple[str, ...] = ()

    def packed(self) -> bytes:
        return orjson.dumps(self)

    @classmethod
    def unpacked(cls, stored: bytes) -> "SystemPrompt":
        data = orjson.loads(stored)
        return cls(data["text"], data["memory"], tuple(data["skills"]))


NOTHING = SystemPrompt()
