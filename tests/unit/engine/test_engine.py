"""The engine's facade: how it starts and stops, and what doors do with sessions through it."""

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from tests.bare_engine import bare_engine
from tests.engine.kit import (
    ASK,
    HOME,
    WEB,
    House,
    LedAgent,
    Node,
    events_of,
    finish,
    kinds_of,
    log_of,
    open_session,
    send,
    session_of,
)
from tests.patience import PATIENCE
from tests.store.nouns import a_row, have_row, have_turn
from wakeful.engine import engine as engine_module
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.settings import EngineSettings
from wakeful.errors import (
    EngineStopping,
    NotQueued,
    SessionBusy,
    SessionNotFound,
    StoreUnavailable,
    TurnNotFound,
)
from wakeful.model.approvals.mode import Mode
from wakeful.model.inbox import IfBusy, RowKind
from wakeful.model.session import Address, Session
from wakeful.model.turn import Turn, TurnStatus
from wakeful.store.base import Transaction


async def turn_of(house: House, turn_id: str) -> Turn:
    turn = await house.store.read(lambda tx: tx.turns.get(turn_id))
    assert turn is not None
    return turn


async def patient_node(house: House, **settings: Any) -> Node:
    """Start a node that gives its turns as much time to reach their step as the test needs to lead them there."""
    house.settings = EngineSettings(stop_grace_seconds=PATIENCE, **settings)
    return await house.start_node()


def message(session_id: str, text: str = "hello", **how: Any) -> Submission:
    return Submission(session_id, text, WEB, HOME, text, "demo:led", **how)


async def test_an_engine_that_has_started_holds_its_lease_and_has_taken_over_what_was_left(house: House) -> None:
    await have_turn(house.store, node="gone")
    engine = bare_engine(house.store, LedAgent(), house.clock, EngineSettings(stop_grace_seconds=0.0))

    await engine.start()

    vitals = engine.vitals()
    assert (vitals.taken_over, vitals.is_lease_late, engine.is_stopping) == (1, False, False)
    await engine.stop()


async def test_what_was_left_behind_is_looked_for_once(house: House) -> None:
    node = await house.start_node()

    assert dict(node.engine.vitals().jobs)["rescuer"].runs == 1


async def test_processes_are_adopted_before_any_turn_resumes(house: House) -> None:
    await have_turn(house.store, node="gone")

    node = await house.start_node(is_exclusive=True)

    assert node.processes.turns_at_first == 0
    assert node.agent.briefs.keys() == {"t1"}
    assert node.engine.vitals().turns_at_work == 1


@pytest.mark.parametrize(("adopts", "some"), [(True, {"timekeeper", "janitor"}), (False, set[str]())])
async def test_an_engine_that_came_for_its_own_turns_does_nothing_else(
    house: House, adopts: bool, some: set[str]
) -> None:
    node = await house.start_node(adopts=adopts)

    jobs = {name for name, _ in node.engine.vitals().jobs}
    assert {"timekeeper", "janitor"} & jobs == some
    assert "rescuer" in jobs
    assert jobs == {job.name for job in [*node.engine._jobs(), *node.engine._lasting_jobs()]}
    assert not node.engine.vitals().is_lease_late
    assert (node.processes.turns_at_first is not None) is adopts


async def test_a_stop_leaves_no_task_behind_and_accepts_nothing_more(house: House) -> None:
    before = asyncio.all_tasks()
    engine = bare_engine(house.store, LedAgent(), house.clock, EngineSettings(stop_grace_seconds=0.0))
    await engine.start()
    session = await engine.create_session("me", HOME, "demo:led", "/")
    reading = asyncio.create_task(_read(engine.subscribe(session.id)))

    await engine.stop()
    await engine.stop()
    await asyncio.wait_for(reading, PATIENCE)

    assert engine.is_stopping
    assert asyncio.all_tasks() - before == set()
    with pytest.raises(EngineStopping):
        await engine.submit(message(session.id))


async def _read(pages: Any) -> None:
    async for _ in pages:
        pass


async def test_who_stops_a_node_that_is_stopping_does_not_wait_for_it(house: House) -> None:
    node = await patient_node(house)
    receipt = await send(node, await open_session(node), "hello")
    await house.settle()
    first = asyncio.create_task(node.engine.stop())
    await house.settle()

    await asyncio.wait_for(node.engine.stop(), PATIENCE)

    assert not first.done()
    node.agent.order(receipt.turn_id, "finish")
    await first


async def test_a_turn_that_waits_for_a_slot_does_not_begin_while_its_node_stops(house: House) -> None:
    node = await patient_node(house, concurrent_turns=1)
    one, two = [await send(node, await open_session(node), text) for text in ("one", "two")]
    await house.settle()
    assert (node.engine.vitals().turns_at_work, node.engine.vitals().turns_waiting) == (1, 1)

    stopping = asyncio.create_task(node.engine.stop())
    await house.settle()
    node.agent.order(one.turn_id, "step")
    await stopping

    assert node.agent.briefs.keys() == {one.turn_id}
    assert [(await turn_of(house, receipt.turn_id)).node for receipt in (one, two)] == [None, None]


async def test_a_stop_releases_turns_after_they_have_reached_their_step(house: House) -> None:
    node = await patient_node(house)
    receipt = await send(node, await open_session(node), "hello")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()

    stopping = asyncio.create_task(node.engine.stop())
    await house.settle()
    node.agent.order(receipt.turn_id, "step")
    await stopping

    assert "step_abandoned" not in kinds_of(await log_of(house, receipt.session_id))
    assert (await turn_of(house, receipt.turn_id)).node is None


async def test_a_stop_takes_little_longer_than_its_grace_even_if_the_store_hangs(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine_module, "_RELEASE_SECONDS", 0.02)
    house.settings = EngineSettings(stop_grace_seconds=0.0)
    node = await house.start_node()
    node.store.is_dead = True

    async with asyncio.timeout(PATIENCE):
        await node.engine.stop()

    assert "could not be released" in caplog.text
    assert "the store does not answer" in caplog.text


async def test_a_stop_survives_a_store_that_fails(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine_module, "_RELEASE_SECONDS", PATIENCE)
    house.settings = EngineSettings(stop_grace_seconds=0.0)
    node = await house.start_node()

    async def fail(*args: object, **how: object) -> None:
        raise StoreUnavailable

    node.store.read = fail  # type: ignore[method-assign,assignment]
    await node.engine.stop()

    assert "could not be released" in caplog.text
    assert "cannot be reached" in caplog.text


async def test_a_new_session_is_as_it_was_asked_for(house: House, node: Node) -> None:
    made = await node.engine.create_session("me", Address("web", "here"), "demo:led", "/w", "Trip", "plan")

    session = await session_of(house, made.id)
    assert (session.owner, session.address.chat_id, session.model) == ("me", "here", "demo:led")
    assert (session.workspace, session.title, session.mode) == ("/w", "Trip", "plan")
    assert (session.created_at, session.updated_at) == (house.clock.now, house.clock.now)


@pytest.mark.parametrize("change", [{"title": "New"}, {"model": "demo:new"}, {"mode": "plan", "title": ""}])
async def test_a_change_of_a_session_is_told_by_its_names(house: House, node: Node, change: dict[str, str]) -> None:
    session_id = await open_session(node)

    await node.engine.change_session(session_id, **change)

    session, (event,) = await session_of(house, session_id), await log_of(house, session_id)
    assert {name: getattr(session, name) for name in change} == change
    assert (event.kind, event.data["session_id"], set(event.data["changed"])) == (
        "session-updated",
        session_id,
        set(change),
    )


async def test_another_model_opens_what_the_old_one_had_blocked(house: House, node: Node) -> None:
    session_id = await open_session(node)
    receipt = await send(node, session_id, "hello")
    node.agent.order(receipt.turn_id, "refuse")
    await events_of(node, session_id, receipt.turn_id)
    notice = await have_row(house.store, a_row("n1", session_id, kind=RowKind.NOTICE))

    await node.engine.change_session(session_id, title="New")
    assert notice.turn_id not in node.agent.briefs
    await node.engine.change_session(session_id, model="demo:new")
    await house.settle()

    assert notice.turn_id in node.agent.briefs


async def test_a_session_is_arranged_without_a_word_in_its_log(house: House, node: Node) -> None:
    session_id = await open_session(node)

    await node.engine.arrange_session(session_id, pinned=True)
    await node.engine.arrange_session(session_id, archived=True)

    session = await session_of(house, session_id)
    assert (session.is_pinned, session.is_archived) == (True, True)
    assert await log_of(house, session_id) == []


async def test_a_session_that_is_gone_is_neither_changed_nor_arranged(node: Node) -> None:
    with pytest.raises(SessionNotFound):
        await node.engine.change_session("none", title="New")
    with pytest.raises(SessionNotFound):
        await node.engine.arrange_session("none", pinned=True)


async def test_a_message_opens_a_new_session_at_once(house: House, node: Node) -> None:
    session = Session("ses_new", "me", HOME, "demo:led", "/")

    receipt = await node.engine.submit(message(session.id, session=session))
    await house.settle()

    assert receipt.turn is not None
    assert (receipt.is_queued, (await session_of(house, "ses_new")).active) == (False, receipt.turn_id)


async def test_what_comes_before_a_message_may_answer_for_it_or_refuse_it(house: House, node: Node) -> None:
    session_id = await open_session(node)
    known = Receipt(session_id, "turn_known", is_queued=True)

    async def answer(tx: Transaction) -> Receipt | None:
        return known

    async def refuse(tx: Transaction) -> Receipt | None:
        raise NotQueued

    assert await node.engine.submit(message(session_id), before=answer) is known
    with pytest.raises(NotQueued):
        await node.engine.submit(message(session_id), before=refuse)
    assert await log_of(house, session_id) == []


async def test_what_comes_before_a_message_is_written_with_it(house: House, node: Node) -> None:
    session = Session("ses_new", "me", HOME, "demo:led", "/")
    seen: list[object] = []

    async def note(tx: Transaction) -> Receipt | None:
        seen.append(await tx.sessions.get("ses_new"))
        return None

    receipt = await node.engine.submit(message("ses_new", session=session), before=note)

    assert (seen, receipt.is_queued) == ([None], False)


@pytest.mark.parametrize(("if_busy", "is_sealed"), [(IfBusy.INTERRUPT, True), (IfBusy.QUEUE, False)])
async def test_words_are_sealed_while_a_message_interrupts_their_turn(
    node: Node, monkeypatch: pytest.MonkeyPatch, if_busy: IfBusy, is_sealed: bool
) -> None:
    session_id = await open_session(node)
    noted: list[object] = []
    real = node.engine._commits.commit

    async def noting(body: Any, **how: Any) -> Any:
        noted.append((list(how["lock"]), list(how.get("seals", ()))))
        return await real(body, **how)

    monkeypatch.setattr(node.engine._commits, "commit", noting)
    await node.engine.submit(message(session_id, if_busy=if_busy))
    await node.engine.cancel(session_id)

    sealed = [session_id] if is_sealed else []
    assert noted == [([session_id], sealed), ([session_id], [session_id])]


async def test_messages_are_recorded_without_an_answer(house: House, node: Node) -> None:
    session_id = await open_session(node)

    turn_id = await node.engine.record(message(session_id))
    await house.settle()

    session = await session_of(house, session_id)
    assert ((await turn_of(house, turn_id)).status, session.active, session.head) == (TurnStatus.DONE, None, turn_id)
    assert node.agent.briefs == {}


async def test_nothing_is_recorded_while_a_turn_runs(node: Node) -> None:
    session_id = await open_session(node)
    await send(node, session_id, "hello")

    with pytest.raises(SessionBusy):
        await node.engine.record(message(session_id, "more"))


async def test_a_turn_is_stopped_by_its_session_or_by_its_own_name(house: House, node: Node) -> None:
    session_id = await open_session(node)
    assert not await node.engine.cancel(session_id)
    one, two = await send(node, session_id, "one"), await send(node, session_id, "two")

    assert not await node.engine.cancel(session_id, two.turn_id)
    assert await node.engine.cancel(session_id, one.turn_id)
    assert await node.engine.cancel(session_id)

    assert [(await turn_of(house, receipt.turn_id)).status for receipt in (one, two)] == [TurnStatus.CANCELLED] * 2
    assert (await session_of(house, session_id)).is_held


async def test_a_queued_message_is_withdrawn_and_no_other(node: Node) -> None:
    session_id, other = await open_session(node), await open_session(node)
    running, queued = await send(node, session_id, "one"), await send(node, session_id, "two")

    for turn_id, session in (("none", session_id), (queued.turn_id, other)):
        with pytest.raises(TurnNotFound, match=f"There is no turn {turn_id}"):
            await node.engine.withdraw(session, turn_id)
    await node.engine.withdraw(session_id, queued.turn_id)

    for turn_id in (queued.turn_id, running.turn_id):
        with pytest.raises(NotQueued):
            await node.engine.withdraw(session_id, turn_id)
    assert kinds_of(await events_of(node, session_id, queued.turn_id)) == ["cancelled"]


async def test_the_words_of_an_answer_are_seen_while_they_come_and_not_after(house: House, node: Node) -> None:
    session_id = await open_session(node)
    assert await node.engine.live_words(session_id) is None
    receipt = await send(node, session_id, "hello")
    node.agent.order(receipt.turn_id, "token", "token")
    await house.settle()

    words = await node.engine.live_words(session_id)
    assert words is not None
    head, said = words
    assert (head.turn_id, said.text) == (receipt.turn_id, "n0 n0 ")
    so_far = await node.engine.stream_so_far(session_id, receipt.turn_id)
    assert kinds_of(so_far) == ["turn_started", "message", "token", "token"]
    await finish(node, house, receipt)

    assert await node.engine.live_words(session_id) is None


async def test_a_reader_gets_words_only_if_it_wants_them(house: House, node: Node) -> None:
    session_id = await open_session(node)
    receipt = await send(node, session_id, "hello")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()

    wishes: list[dict[str, Any]] = [{}, {"with_words": True}, {"with_words": False}]
    for wish in wishes:
        seen: list[str] = []
        async with aclosing(node.engine.subscribe(session_id, **wish)) as pages:
            # An empty page says that all has been read.
            while page := await anext(pages):
                seen += kinds_of(page)
        assert ("token" in seen) is wish.get("with_words", True)


async def test_a_branch_is_made_of_the_last_turn(house: House, node: Node) -> None:
    session_id = await open_session(node)
    receipt = await send(node, session_id, "hello", door=ASK)
    await finish(node, house, receipt)

    await node.engine.change_session(session_id, mode=Mode.EVERYTHING)

    branch = await node.engine.branch(session_id)

    made = await session_of(house, branch.id)
    assert (made.head, made.mode) == (receipt.turn_id, Mode.EVERYTHING)


async def test_whoever_waits_for_it_is_told_that_the_store_failed(house: House, node: Node) -> None:
    receipt = await send(node, await open_session(node), "hello")
    await house.settle()
    failing = asyncio.create_task(node.engine.store_failure())

    async def fail(*args: object, **how: object) -> None:
        raise StoreUnavailable

    node.store.write = fail  # type: ignore[method-assign,assignment]
    node.agent.order(receipt.turn_id, "step")

    assert isinstance(await asyncio.wait_for(failing, PATIENCE), StoreUnavailable)


async def test_a_turn_is_followed_from_its_beginning(house: House, node: Node) -> None:
    receipt = await send(node, await open_session(node), "hello")
    node.agent.order(receipt.turn_id, "token")
    await finish(node, house, receipt)

    pages = node.engine.subscribe_turn(receipt.session_id, receipt.turn_id)

    seen = [item async for page in pages for item in page]
    assert kinds_of(seen) == ["turn_started", "message", "token", "usage", "done"]
