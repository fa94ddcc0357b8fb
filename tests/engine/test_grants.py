"""Grants: which calls pass because of them, where, and until when."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.asking import DELETES, DISCARDS, ask, questions_in, sub_agent_of, working
from tests.engine.kit import HOME as HOME_ADDRESS
from tests.engine.kit import House, Node
from wakeful.engine.inbox.submission import Receipt
from wakeful.errors import NoFolderToGrant, OnceOnly
from wakeful.model.approvals.approval import Choice, Question, Reason
from wakeful.model.approvals.grant import Grant
from wakeful.model.ids import new_id
from wakeful.model.session import Session

UNCLEAR = (Reason("unclear", "hides what it does", None, "eval"),)
HOME = (Reason("home", "reads the server's key", "~/.wakeful/key"),)
DAY = 86_400.0


async def grant(
    node: Node, house: House, receipt: Receipt, choice: Choice, reasons: tuple[Reason, ...] = DISCARDS
) -> None:
    asking = await ask(node, house, receipt, index=90, call_id="granted", command="git reset --hard", reasons=reasons)
    await node.engine.approvals.answer(receipt.session_id, "granted", choice)
    assert await asking is choice


async def passes(
    node: Node, house: House, receipt: Receipt, reasons: tuple[Reason, ...] = DISCARDS, index: int = 91
) -> bool:
    asking = await ask(node, house, receipt, index=index, call_id=f"call_{index}", reasons=reasons)
    is_done = asking.done() and await asking is Choice.ONCE
    asking.cancel()
    return is_done


async def grants(house: House) -> list[Grant]:
    async def body(tx):  # type: ignore[no-untyped-def]
        return await tx.grants.of_owner(None, await tx.now())

    return await house.store.read(body)


async def test_a_grant_covers_its_kind_and_the_wider_command_is_asked_about_the_rest_alone(
    node: Node, house: House
) -> None:
    receipt = await working(node, house)
    await grant(node, house, receipt, Choice.SESSION)
    assert await passes(node, house, receipt)
    asking = await ask(node, house, receipt, command="git reset --hard; rm -r /srv", reasons=DISCARDS + DELETES)
    asked = (await questions_in(house, receipt.session_id))[-1].data
    assert asked["command"] == "git reset --hard; rm -r /srv"
    assert [found["kind"] for found in asked["dangers"]] == ["delete_outside"]
    assert (asked["danger"], asked["reason"]) == ("delete_outside", "deletes outside of the folder")
    assert "discard" not in asked["choice_words"]["session"]
    asking.cancel()


async def test_a_question_names_all_its_reasons_and_says_what_longer_grants_allow(node: Node, house: House) -> None:
    receipt = await working(node, house, workspace=str(Path.home() / "shop-of-nobody"))
    asking = await ask(node, house, receipt, reasons=DISCARDS + DELETES)
    (asked,) = [event.data for event in await questions_in(house, receipt.session_id)]
    assert (asked["tool"], asked["preview"]) == ("terminal", "")
    assert asked["dangers"] == [
        {"kind": "discard_work", "reason": "discards uncommitted work", "path": None, "excerpt": "git reset --hard"},
        {"kind": "delete_outside", "reason": "deletes outside of the folder", "path": "/srv", "excerpt": "rm -r /srv"},
    ]
    assert asked["reason"] == "discards uncommitted work; deletes outside of the folder"
    assert asked["choices"] == ["once", "session", "folder", "deny"]
    assert asked["choice_words"]["session"].startswith(
        "In this session and its sub-agents, commands that discard uncommitted work or delete outside of the folder run"
    )
    assert "in all your sessions in ~/shop-of-nobody and below, until " in asked["choice_words"]["folder"]
    asking.cancel()


async def test_an_answer_for_longer_grants_each_kind_that_was_asked_about(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await grant(node, house, receipt, Choice.SESSION, DISCARDS + DELETES + DISCARDS)
    assert sorted(grant.kind for grant in await grants(house)) == ["delete_outside", "discard_work"]
    assert await passes(node, house, receipt, DELETES)
    assert await passes(node, house, receipt, DELETES + DISCARDS, index=92)


async def test_uses_are_counted_when_a_call_passes(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await grant(node, house, receipt, Choice.SESSION)
    (given,) = await grants(house)
    assert (given.uses, given.last_used_at, given.example) == (0, None, "git reset --hard")
    await house.advance(5.0)
    await passes(node, house, receipt)
    await passes(node, house, receipt, DISCARDS + DELETES, index=92)
    (used,) = await grants(house)
    assert (used.uses, used.last_used_at) == (1, given.created_at + 5.0)


@pytest.mark.parametrize("reasons", [UNCLEAR, HOME, DISCARDS + UNCLEAR])
async def test_what_cannot_be_foreseen_is_allowed_once_only(
    node: Node, house: House, reasons: tuple[Reason, ...]
) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt, reasons=reasons)
    (asked,) = [event.data for event in await questions_in(house, receipt.session_id)]
    assert (asked["choices"], asked["choice_words"]) == (["once", "deny"], {})
    for choice in (Choice.SESSION, Choice.FOLDER):
        with pytest.raises(OnceOnly):
            await node.engine.approvals.answer(receipt.session_id, "call_1", choice)
    assert not asking.done()
    await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.ONCE)
    assert await asking is Choice.ONCE
    assert await grants(house) == []


async def test_a_session_in_the_root_folder_grants_no_folder_because_that_is_everywhere(
    node: Node, house: House
) -> None:
    receipt = await working(node, house, workspace="/")
    asking = await ask(node, house, receipt)
    (asked,) = [event.data for event in await questions_in(house, receipt.session_id)]
    assert asked["choices"] == ["once", "session", "deny"]
    with pytest.raises(NoFolderToGrant):
        await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.FOLDER)
    asking.cancel()


async def test_what_is_allowed_for_the_session_is_asked_again_elsewhere(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await grant(node, house, receipt, Choice.SESSION)
    assert await passes(node, house, receipt)
    assert not await passes(node, house, await working(node, house))


async def test_what_is_allowed_for_a_folder_holds_for_its_owner_there_and_below(node: Node, house: House) -> None:
    await grant(node, house, await working(node, house), Choice.FOLDER)
    for workspace, owner, is_covered in (
        ("/nowhere/shop", "me", True),
        ("/nowhere/shop/api", "me", True),
        ("/nowhere", "me", False),
        ("/nowhere/shopping", "me", False),
        ("/nowhere/shop/../other", "me", False),
        ("/nowhere/shop", "you", False),
    ):
        receipt = await working(node, house, workspace=workspace, owner=owner)
        assert await passes(node, house, receipt) is is_covered, (workspace, owner)


async def test_a_link_in_a_folder_does_not_carry_its_grant_elsewhere(node: Node, house: House, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "shop" / "link").symlink_to(tmp_path / "other")
    await grant(node, house, await working(node, house, workspace=str(tmp_path / "shop")), Choice.FOLDER)
    linked = await working(node, house, workspace=str(tmp_path / "shop" / "link"))
    assert not await passes(node, house, linked)


async def test_a_grant_of_a_folder_ends_on_the_day_that_the_question_named(node: Node, house: House) -> None:
    await grant(node, house, await working(node, house), Choice.FOLDER)
    (given,) = await grants(house)
    assert given.expires_at == pytest.approx(given.created_at + house.settings.grant_days * DAY, abs=1.0)
    await house.advance(house.settings.grant_days * DAY - 60)
    assert await passes(node, house, await working(node, house))
    await house.advance(61)
    assert not await passes(node, house, await working(node, house))


async def test_a_revoked_grant_lets_nothing_pass_from_the_next_call_on(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await grant(node, house, receipt, Choice.SESSION)
    assert await passes(node, house, receipt)
    (given,) = await grants(house)
    await house.store.write(lambda tx: tx.grants.revoke_if_there(given.id, "me"))
    assert not await passes(node, house, receipt, index=92)


async def test_what_is_allowed_in_a_session_holds_for_its_sub_agents(node: Node, house: House) -> None:
    top = await working(node, house)
    await grant(node, house, top, Choice.SESSION)
    middle = await sub_agent_of(node, house, top)
    bottom = await sub_agent_of(node, house, middle)
    assert await passes(node, house, bottom)


async def test_a_sub_agents_question_answered_above_is_granted_to_the_session_that_showed_it(
    node: Node, house: House
) -> None:
    top = await working(node, house)
    child = await sub_agent_of(node, house, top)
    asking = await ask(node, house, child, reasons=DISCARDS)
    (asked,) = [event.data for event in await questions_in(house, top.session_id)]
    await node.engine.approvals.answer(top.session_id, asked["call_id"], Choice.SESSION)
    await asking
    assert await passes(node, house, child)
    assert await passes(node, house, top)
    assert await passes(node, house, await sub_agent_of(node, house, top, index=2))


async def test_a_sub_agents_question_answered_in_its_own_session_does_not_bind_its_parent(
    node: Node, house: House
) -> None:
    top = await working(node, house)
    child = await sub_agent_of(node, house, top)
    await grant(node, house, child, Choice.SESSION)
    assert await passes(node, house, child)
    assert not await passes(node, house, top)


async def test_a_folder_that_is_granted_in_a_chat_is_granted_in_that_chat_alone(node: Node, house: House) -> None:
    async def in_chat(key: str) -> Receipt:
        session = Session(new_id("ses"), "me", HOME_ADDRESS, "demo:led", "/nowhere/shop", chat_key=key)
        await house.store.write(lambda tx: tx.sessions.create_if_absent(session))
        return await working(node, house, session=session.id)

    here = await in_chat("telegram:group:7")
    await grant(node, house, here, Choice.FOLDER)

    assert [found.chat_key for found in await grants(house)] == ["telegram:group:7"]
    assert await passes(node, house, await in_chat("telegram:group:7"))
    assert not await passes(node, house, await in_chat("telegram:group:8"))
    assert not await passes(node, house, await working(node, house))


async def test_grants_hold_where_nobody_can_be_asked(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await grant(node, house, receipt, Choice.FOLDER)
    turn = node.agent.briefs[receipt.turn_id].turn

    left = await node.engine.approvals.uncovered(turn, 1, 5, Question("c", "terminal", "x", DISCARDS + DELETES))
    none = await node.engine.approvals.uncovered(turn, 1, 6, Question("c", "terminal", "x", DISCARDS))

    assert (left, none) == (DELETES, ())
    # A turn that is not stored has no session in which anything was granted.
    unstored = replace(turn, is_ephemeral=True)
    asked = Question("c", "terminal", "x", DISCARDS)
    assert await node.engine.approvals.uncovered(unstored, 1, 7, asked) == DISCARDS
    assert [found.uses for found in await grants(house)] == [1]
    assert await questions_in(house, receipt.session_id) != []
