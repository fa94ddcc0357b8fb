"""Rows of attachments."""

from wakeful.model.files.attachment import Attachment
from wakeful.store.rows.row import Row, Values

ATTACHMENT_COLUMNS = ("id", "owner", "session_id", "name", "type", "size", "created_at", "is_used")


def attachment_values(attachment: Attachment, *, is_used: bool) -> Values:
    return (
        attachment.id,
        attachment.owner,
        attachment.session_id or None,
        attachment.name.encode(),
        attachment.type,
        attachment.size,
        attachment.created_at,
        is_used,
    )


def attachment_from(row: Row) -> Attachment:
    return Attachment(
        row["id"],
        bytes(row["name"]).decode(),
        row["type"],
        row["size"],
        row["owner"],
        row["session_id"] or "",
        row["created_at"],
    )
