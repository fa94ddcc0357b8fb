"""The files that each person keeps in the server's own folder: instructions for the agent, and its memory."""

from dataclasses import dataclass
from pathlib import Path

from wakeful.agent.instructions.beginning import beginning_of
from wakeful.model.system_prompt import MEMORY_LIMIT

# The most bytes of the instructions that are read.
_MOST_BYTES = 16 * 1024

_INSTRUCTIONS = "# The user's instructions\n\nThe user has written them for all conversations."
_MEMORY = """\
# Your memory

What you have noted in earlier conversations with this user, from {path}. When you learn something that later \
conversations need, or the user asks you to remember or to forget something, change that file with edit_file or \
write_file. It may have {limit:,} bytes, and a change shows here from the next turn on."""
_EMPTY = "[It is empty.]"


@dataclass(frozen=True, slots=True)
class PersonalFiles:
    # The server's own folder, and the principal whose files lie directly in it.
    home: Path
    operator: str

    def instructions(self, owner: str) -> str:
        """Return the section of a person's instructions; empty if there are none."""
        folder = self._folder(owner)
        found = None if folder is None else beginning_of(folder / "instructions.md", _MOST_BYTES)
        return f"{_INSTRUCTIONS}\n\n{found.noted('instructions.md')}" if found is not None and found.text else ""

    def memory(self, owner: str) -> tuple[str, str]:
        """Return the section about a person's memory, and the path of its file. Both are empty if there is no folder
        for it.
        """
        folder = self._folder(owner)
        if folder is None:
            return "", ""
        path = folder / "memory.md"
        found = beginning_of(path, MEMORY_LIMIT)
        words = found.noted("memory.md") if found is not None and found.text else _EMPTY
        return f"{_MEMORY.format(path=path, limit=MEMORY_LIMIT)}\n\n{words}", str(path)

    def _folder(self, owner: str) -> Path | None:
        if owner == self.operator:
            return self.home
        # The name of a key may consist of dots, which would lead out of the folder.
        return self.home / "people" / owner if owner.strip(".") and "/" not in owner else None
