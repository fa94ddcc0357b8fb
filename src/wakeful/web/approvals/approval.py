"""Questions to a person, and what need not be asked again, as clients see them."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from wakeful.engine.approvals.approval_data import approval_data
from wakeful.model.approvals.approval import Approval, Choice
from wakeful.model.approvals.grant import Scope
from wakeful.wire.declared import Outgoing, words


class Danger(Outgoing):
    kind: Annotated[str, words("What a grant covers.")]
    reason: Annotated[str, words("Finishes the sentence: this command …")]
    path: str | None
    excerpt: Annotated[str, words("The dangerous piece of the command as it stands there, or empty.")]


class ChoiceWords(Outgoing):
    session: str | UnsetType = UNSET
    folder: str | UnsetType = UNSET


class ShownApproval(Outgoing):
    session_id: str
    call_id: str
    task_id: str | None
    tool: str
    command: str
    danger: Annotated[str, words("The first kind.")]
    reason: Annotated[str, words("All reasons, with semicolons between them.")]
    dangers: Annotated[list[Danger], Meta(min_length=1)]
    choices: Annotated[list[Choice], words("Those possible.")]
    choice_words: Annotated[ChoiceWords, words("What a choice that lasts allows, to be read before it.")]
    preview: Annotated[str, words("Of a file: the change, as a diff.")]
    expires_at: str


class WaitingApproval(ShownApproval):
    session_title: str
    workspace: str


class ShownGrant(Outgoing):
    id: str
    owner: str
    kind: str
    words: Annotated[str, words("Finishes the sentence: commands that … run without asking.")]
    scope: Scope
    session_id: Annotated[str | None, words("Null for a folder.")]
    session_title: Annotated[str | None, words("Null for a folder.")]
    folder: Annotated[str | None, words("Null for a session.")]
    created_at: str
    expires_at: Annotated[str | None, words("Null: as long as its session.")]
    last_used_at: str | None
    uses: Annotated[int, Meta(ge=0)]
    example: Annotated[str, words("The command that it was given for.")]


def shown_approval(approval: Approval, shown_in: str) -> ShownApproval:
    return ShownApproval(**approval_data(approval, shown_in))
