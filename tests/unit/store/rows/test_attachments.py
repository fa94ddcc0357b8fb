"""Attachments as rows."""

import pytest

from wakeful.model.files.attachment import Attachment
from wakeful.store.rows.attachments import ATTACHMENT_COLUMNS, attachment_from, attachment_values


@pytest.mark.parametrize("session_id", ["", "s1"])
@pytest.mark.parametrize("is_used", [False, True])
def test_an_attachment_comes_back_whole_with_or_without_its_session(session_id: str, is_used: bool) -> None:
    attachment = Attachment("a1", "漢\0字.txt", "text/plain", 5, "alice", session_id, 7.0)

    row = dict(zip(ATTACHMENT_COLUMNS, attachment_values(attachment, is_used=is_used), strict=True))

    found = attachment_from(row)
    assert found == attachment
    # Which do not count when two are compared.
    assert (found.owner, found.session_id, found.created_at) == ("alice", session_id, 7.0)
    assert row["is_used"] is is_used
    # A reference to a session that is none would be refused.
    assert row["session_id"] == (session_id or None)
