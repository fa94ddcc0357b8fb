"""Questions to a person, and grants that make questions unnecessary, in the form that clients get."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from wakeful.engine.approvals.approval_data import approval_data
from wakeful.model.approvals.approval import Approval, Choice
from wakeful.model.approvals.grant import Scope
from wakeful.wire.declared import Outgoing, words


class Danger(Outgoing):
    kind: Annotated[str, words("The kind of danger, which is what a grant covers.")]
    reason: Annotated[str, words("Completes the sentence: this command …")]
    path: str | None
    excerpt: Annotated[str, words("The dangerous part of the command, verbatim, or empty.")]


class ChoiceWords(Outgoing):
    session: str | UnsetType = UNSET
    folder: str | UnsetType = UNSET


class ShownApproval(Outgoing):
    session_id: str
    call_id: str
    task_id: str | None
    tool: str
    command: str
    danger: Annotated[str, words("The kind of the first danger.")]
    reason: Annotated[str, words("The reasons of all dangers, separated by semicolons.")]
    dangers: Annotated[list[Danger], Meta(min_length=1)]
    choices: Annotated[list[Choice], words("The possible choices.")]
    choice_words: Annotated[ChoiceWords, words("What a lasting choice will allow, to show before it is made.")]
    preview: Annotated[str, words("For a change to a file: the diff.")]
    expires_at: str


class WaitingApproval(ShownApproval):
    session_title: str
    workspace: str


class ShownGrant(Outgoing):
    id: str
    owner: str
    kind: str
    words: Annotated[str, words("Completes the sentence: commands that … run without asking.")]
    scope: Scope
    session_id: Annotated[str | None, words("Null for a folder.")]
    session_title: Annotated[str | None, words("Null for a folder.")]
    folder: Annotated[str | None, words("Null for a session.")]
    key: Annotated[
        str, words("Of a folder: the chat that it holds in, such as `telegram:private:5`; empty: everywhere.")
    ]
    created_at: str
    expires_at: Annotated[str | None, words("Null: it lasts as long as its session.")]
    last_used_at: str | None
    uses: Annotated[int, Meta(ge=0)]
    example: Annotated[str, words("The command for which it was given.")]


def shown_approval(approval: Approval, shown_in: str) -> ShownApproval:
    return ShownApproval(**approval_data(approval, shown_in))
