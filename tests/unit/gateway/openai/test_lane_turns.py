"""What a lane knows of its turns: the response that runs, the last that completed, and how the next one enters."""

from dataclasses import replace

import pytest

from tests.unit.gateway.openai.kit import done, log, token
from tests.unit.gateway.openai.served import ServedApi
from tests.unit.gateway.openai.taking import asking
from wakeful.errors import NameTaken
from wakeful.gateway.openai.api import Api, ends_turn, response_id
from wakeful.gateway.openai.chat.new_messages import KnownChat
from wakeful.gateway.openai.chat.routes import ChatCompletionRoutes
from wakeful.gateway.openai.errors import ApiError
from wakeful.gateway.openai.lanes import conversation_state
from wakeful.gateway.openai.lanes.conversation_state import state_of
from wakeful.gateway.openai.lanes.entry import lane_history, until_entered
from wakeful.gateway.openai.lanes.lane import ApiLane
from wakeful.model.api.request import TurnRequest
from wakeful.model.ids import new_id
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.model.opening import Closing, Opening
from wakeful.model.session import Session
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.model.words import TOKEN, Word, WordsHead


class Talk:
    """A session whose turns follow each other."""

    def __init__(self, served_api: ServedApi) -> None:
        self.served = served_api
        made = Session(new_id("ses"), "alice", served_api.api.address, "demo:model", "/")
        served_api.runner.run(served_api.store.write(lambda tx: tx.sessions.create_if_absent(made)))
        self.id = made.id

    @property
    def session(self) -> Session:
        found = self.served.runner.run(self.served.store.read(lambda tx: tx.sessions.get(self.id)))
        assert found is not None
        return found

    def begin(self, kind: str = "response", *said: tuple[EntryKind, str]) -> Turn:
        api = self.served.api
        turn = Turn(
            id=new_id("turn"),
            session_id=self.id,
            parent=self.session.checkpoint,
            door=api.door,
            address=api.address,
            source="user",
            is_wakeup=False,
            model="demo:model",
            status=TurnStatus.RUNNING,
            node="node",
            epoch=1,
            request=TurnRequest(kind=kind).dump(),
        )
        entries = [
            Entry(turn.id, step, 0, kind, b'{"text": "%s", "calls": []}' % text.encode())
            for step, (kind, text) in enumerate(said, start=1)
        ]
        run, store = self.served.runner.run, self.served.store
        run(store.write(lambda tx: tx.open(Opening(turn)), lock=[self.id]))
        run(store.write(lambda tx: tx.journal.add(entries), lock=[self.id]))
        return turn

    def end(self, turn: Turn, status: TurnStatus = TurnStatus.DONE) -> Turn:
        checkpoint = turn.id if status is TurnStatus.DONE else turn.parent
        closing = Closing(turn, Outcome(status), (), checkpoint=checkpoint)
        self.served.runner.run(self.served.store.write(lambda tx: tx.close(closing), lock=[self.id]))
        return turn

    def state(self) -> tuple[str | None, str | None]:
        session = self.session
        found = self.served.runner.run(self.served.store.read(lambda tx: state_of(tx, session)))
        return found["latest_completed_response_id"], found["active_response_id"]


@pytest.fixture
def talk(served_api: ServedApi) -> Talk:
    return Talk(served_api)


def test_a_new_conversation_has_neither(talk: Talk) -> None:
    assert talk.state() == (None, None)


def test_the_last_response_that_completed_and_the_one_that_runs(talk: Talk) -> None:
    first = talk.end(talk.begin())
    talk.end(talk.begin("items"))
    running = talk.begin()

    assert talk.state() == (response_id(first.id), response_id(running.id))
    talk.end(running, TurnStatus.CANCELLED)
    assert talk.state() == (response_id(first.id), None)
    newer = talk.end(talk.begin())
    assert talk.state() == (response_id(newer.id), None)


def test_what_a_client_could_not_get_is_not_named(talk: Talk) -> None:
    hidden = talk.end(talk.begin())
    run, store = talk.served.runner.run, talk.served.store
    run(store.write(lambda tx: tx.turns.hide(hidden.id), lock=[talk.id]))
    talk.begin("run")

    assert talk.state() == (None, None)


def test_a_response_is_found_behind_many_turns_that_are_none(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation_state, "_PAGE", 2)
    first = talk.end(talk.begin())
    for _ in range(4):
        talk.end(talk.begin("items"))

    assert talk.state() == (response_id(first.id), None)


async def test_a_name_that_another_took_first_is_looked_up_again() -> None:
    tries = [NameTaken(), NameTaken(), None]

    async def begin() -> str:
        error = tries.pop(0)
        if error is not None:
            raise error
        return "entered"

    assert (await until_entered(begin), tries) == ("entered", [])


def test_an_unstored_turn_reads_the_history_of_an_idle_lane(talk: Talk) -> None:
    turn = talk.end(talk.begin("response", (EntryKind.ANSWER, "Hi")))
    run, store = talk.served.runner.run, talk.served.store
    session, entries = run(store.read(lambda tx: lane_history(tx, ApiLane(talk.id))))

    assert (session.id, [entry.turn_id for entry in entries]) == (talk.id, [turn.id])
    talk.begin()
    with pytest.raises(ApiError):
        run(store.read(lambda tx: lane_history(tx, ApiLane(talk.id))))


@pytest.mark.parametrize(
    ("is_stopped", "from_checkpoint", "known"),
    [
        (False, True, KnownChat(has_history=True, recorded="Hi", cut_off="", has_cut_turn=True)),
        (True, True, KnownChat(has_history=False, recorded="Hi", cut_off="half", has_cut_turn=False)),
        (True, False, KnownChat(has_history=True, recorded="Hi", cut_off="half", has_cut_turn=True)),
    ],
)
def test_what_the_server_has_of_a_chat(talk: Talk, is_stopped: bool, from_checkpoint: bool, known: KnownChat) -> None:
    routes, lane = ChatCompletionRoutes(talk.served.api), ApiLane(talk.id, from_checkpoint=from_checkpoint)
    assert talk.served.runner.run(routes._known(lane)) == KnownChat()
    said = [(EntryKind.ANSWER, "Hi"), (EntryKind.CUT, "half")][: 1 + is_stopped]
    talk.end(talk.begin("chat", *said), TurnStatus.CANCELLED if is_stopped else TurnStatus.DONE)

    assert talk.served.runner.run(routes._known(lane)) == known


@pytest.mark.parametrize(("owner", "is_found"), [("alice", True), ("operator", True), ("bob", False)])
def test_a_turn_is_found_by_those_who_may_see_it(talk: Talk, owner: str, is_found: bool) -> None:
    turn, api = talk.begin(), talk.served.api
    found = talk.served.runner.run(talk.served.store.read(lambda tx: api.find_turn(tx, asking({}, owner), turn.id)))

    assert (found is not None) is is_found


def test_a_turn_of_another_door_that_is_hidden_or_whose_session_is_deleted_is_not_found(talk: Talk) -> None:
    turn, api, run, store = talk.begin(), talk.served.api, talk.served.runner.run, talk.served.store
    other = replace(api, door=replace(api.door, name="web"))

    def is_found(through: Api, turn_id: str = turn.id) -> bool:
        return run(store.read(lambda tx: through.find_turn(tx, asking({}), turn_id))) is not None

    assert (is_found(api), is_found(other), is_found(api, "turn_none")) == (True, False, False)
    talk.end(turn)
    run(store.write(lambda tx: tx.sessions.delete(talk.id, 5e9), lock=[talk.id]))
    assert not is_found(api)
    hidden = Talk(talk.served).begin()
    run(store.write(lambda tx: tx.turns.hide(hidden.id), lock=[hidden.session_id]))
    assert not is_found(api, hidden.id)


def test_a_page_ends_its_turn_if_its_last_item_does() -> None:
    whole = log(token("Hi"), done())

    assert ends_turn(whole)
    assert not ends_turn(whole[:-1])
    assert not ends_turn([])
    assert not ends_turn([Word(WordsHead("s", "turn_1", 1, 0), 1, TOKEN, "x")])
