"""The card of an undo: which files were put back, which were not, and why."""

from typing import Any

from wakeful.cli.chat.cards.card import Card, Tone
from wakeful.cli.plain_text import one_line

_REASONS = {
    "changed_since": "was changed since; /undo force puts it back all the same",
    "not_kept": "was too large to be kept",
    "unwritable": "cannot be written",
}
_KINDS = {"restored": "is as it was before", "deleted": "is deleted again"}
_NOT_COVERED = "What commands have changed is not covered. The agent learns of this with your next message."


def undo_card(answer: dict[str, Any]) -> Card:
    undone = [f"{one_line(file['path'])} {_KINDS.get(file['kind'], file['kind'])}." for file in answer["undone"]]
    skipped = [
        f"{one_line(file['path'])} {_REASONS.get(file['reason'], file['reason'])}." for file in answer["skipped"]
    ]
    title = "Undone:" if undone else "Nothing was undone:"
    lines = (*undone, *skipped, *([_NOT_COVERED] if undone else []))
    return Card(Tone.QUIET if undone else Tone.FAILURE, title, lines=lines, is_prose=True)
