"""The kinds of reasons, and the words that a grant of each is shown with."""

from wakeful.model.approvals import reason_kinds
from wakeful.model.approvals.reason_kinds import KIND_WORDS, ONCE_ONLY, describe_kind


def test_every_kind_has_words_that_finish_the_sentence() -> None:
    kinds = {value for name, value in vars(reason_kinds).items() if name.isupper() and isinstance(value, str)}

    assert kinds == set(KIND_WORDS)
    assert kinds >= ONCE_ONLY
    assert all(words[0].islower() and not words.endswith(".") for words in KIND_WORDS.values())


def test_a_kind_of_a_newer_version_has_words_too() -> None:
    assert describe_kind("delete_outside") == "delete outside of the folder"
    assert describe_kind("paint:walls") == "are of the kind paint:walls"


def test_a_grant_of_an_mcp_server_names_it() -> None:
    assert describe_kind("mcp:files") == "use tools of the MCP server files"
    assert describe_kind("mcp") == "use tools of MCP servers"
