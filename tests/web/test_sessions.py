"""Sessions are created, listed, searched, changed and branched; only their owner and the operator see them."""

from functools import partial
from pathlib import Path

import pytest

from tests.web.kit import Served
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.session import Address, Session
from wakeful.store.base import Transaction


async def test_a_new_session_has_what_it_was_given(web: Served, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()

    session_id = await web.new_session(title="  Mine ", model="demo:x", workspace=str(folder))

    session = (await web.shown(session_id))["session"]
    assert (session["title"], session["model"], session["workspace"]) == ("Mine", "demo:x", str(folder))
    assert (session["message_count"], session["active_turn_id"], session["parent"]) == (0, None, None)
    assert session["created_at"].endswith("Z")


async def test_a_title_has_at_most_200_characters(web: Served) -> None:
    session_id = await web.new_session(title=f" {'t' * 200} ")
    longer = await web.post("/api/session/new", {"title": "t" * 201})

    assert (await web.shown(session_id))["session"]["title"] == "t" * 200
    assert longer.code == "invalid_request"


async def test_a_new_session_needs_nothing(web: Served, tmp_path: Path) -> None:
    reply = await web.request("POST", "/api/session/new", "ann")

    session = (await web.shown(reply.json["session_id"]))["session"]
    assert (session["title"], session["model"], session["workspace"]) == ("", "demo:led", str(tmp_path))


async def test_the_sessions_of_a_chat_are_found_by_its_key_and_the_current_one_comes_first(
    web: Served, tmp_path: Path
) -> None:
    key, address = "telegram:group:-100:7", Address("telegram", "-100", "7")
    for number in range(3):
        session = Session(
            f"ses_{number}", "operator", address, chat_key=key, chat_name="Kitchen", updated_at=float(number)
        )
        await web.store.write(partial(_create, session))
    chat = Chat(key, "telegram", ChatKind.GROUP, "-100", "7", "ses_1", "Kitchen")
    await web.store.write(lambda tx: tx.chats.put(chat))

    found = (await web.get("/api/sessions", "operator", key=key)).json["sessions"]
    first = (await web.get("/api/sessions", "operator", key=key, limit=1)).json
    second = (await web.get("/api/sessions", "operator", key=key, limit=1, cursor=first["next_cursor"])).json

    assert [row["session_id"] for row in found] == ["ses_1", "ses_2", "ses_0"]
    assert [row["session_id"] for row in first["sessions"]] == ["ses_1", "ses_2"]
    assert ([row["session_id"] for row in second["sessions"]], second["next_cursor"]) == (["ses_0"], None)
    expected = {"key": key, "platform": "telegram", "chat_id": "-100", "thread_id": "7", "chat_name": "Kitchen"}
    shown = (await web.shown("ses_1", "operator"))["session"]
    assert expected.items() <= found[0].items()
    assert expected.items() <= shown.items()
    assert (await web.get("/api/sessions", "ann", key=key)).json["sessions"] == []


async def _create(session: Session, tx: Transaction) -> None:
    await tx.sessions.create_if_absent(session)


async def test_an_untitled_session_is_called_after_its_first_message(web: Served) -> None:
    session_id = await web.new_session(title="")

    await web.say(session_id, "What is the tide?")

    assert (await web.shown(session_id))["session"]["title"] == "What is the tide?"


async def test_a_session_of_another_door_has_its_address(web: Served) -> None:
    reply = await web.post("/api/session/new", {}, **{"X-Wakeful-Door": "terminal"})

    session_id = reply.json["session_id"]
    turn_id = await web.say(session_id, "hi")

    turn = (await web.running(turn_id)).turn
    assert (turn.address.platform, turn.door.name) == ("terminal", "web")


async def test_the_list_begins_with_the_session_changed_last(web: Served) -> None:
    first, second = await web.new_session(title="first"), await web.new_session(title="second")
    turn_id = await web.say(first, "hi")
    await web.running(turn_id)
    await web.begin_task(turn_id, "p1")

    reply = await web.get("/api/sessions")

    rows = reply.json["sessions"]
    assert [row["session_id"] for row in rows] == [first, second]
    assert (rows[0]["active_turn_id"], rows[0]["running_tasks"]) == (turn_id, 1)
    assert (rows[1]["active_turn_id"], rows[1]["running_tasks"]) == (None, 0)
    assert {"title", "updated_at", "message_count", "model", "pinned", "archived"} <= rows[0].keys()
    assert reply.json["next_cursor"] is None


async def test_pages_of_the_list_have_every_session_once(web: Served) -> None:
    made = [await web.new_session(title=str(number)) for number in range(7)]

    seen: list[str] = []
    cursor = ""
    while True:
        page = (await web.get("/api/sessions", limit=3, cursor=cursor)).json
        seen += [row["session_id"] for row in page["sessions"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert seen == made[::-1]


async def test_a_search_finds_words_in_titles_and_messages(web: Served) -> None:
    tide, boat = await web.new_session(title="The tide"), await web.new_session(title="Other")
    await web.new_session(title="Nothing")
    await web.finished(await web.say(boat, "Where is the BOAT?", "finish"))

    async def found(words: str) -> list[str]:
        return [row["session_id"] for row in (await web.get("/api/sessions", q=words)).json["sessions"]]

    assert await found("tide") == [tide]
    assert await found("boat") == [boat]
    assert await found("100% _") == []


async def test_a_search_shows_where_it_found_the_words(web: Served) -> None:
    titled, said = await web.new_session(title="A boat"), await web.new_session()
    turn_id = await web.say(said, "Is <b>this</b> the BOAT to Bonn?", "finish")
    await web.finished(turn_id)

    rows = {row["session_id"]: row for row in (await web.get("/api/sessions", q="boat")).json["sessions"]}

    assert rows[said]["message_id"] == f"{turn_id}.0.0"
    assert rows[said]["snippet"] == {"before": "Is <b>this</b> the ", "hit": "BOAT", "after": " to Bonn?"}
    assert (rows[titled]["message_id"], rows[titled]["snippet"]) == (None, None)
    assert "snippet" not in (await web.get("/api/sessions")).json["sessions"][0]


async def test_a_title_and_a_model_can_be_changed(web: Served) -> None:
    session_id = await web.new_session()
    async with web.stream("/api/session/stream", session_id=session_id) as reader:
        reply = await web.patch("/api/session", {"session_id": session_id, "title": "New", "model": "demo:new"})
        updated = (await reader.until("session-updated"))[-1]

    assert (reply.status, reply.json) == (200, {"ok": True})
    assert updated.data == {"session_id": session_id, "changed": ["title", "model"]}
    session = (await web.shown(session_id))["session"]
    assert (session["title"], session["model"]) == ("New", "demo:new")


async def test_a_branch_goes_on_from_the_turn_it_was_cut_at(web: Served) -> None:
    session_id = await web.new_session()
    first = await web.say(session_id, "one", "finish")
    await web.finished(first)
    await web.finished(await web.say(session_id, "two", "finish"))

    whole = (await web.post("/api/session/branch", {"session_id": session_id})).json["session_id"]
    cut = (await web.post("/api/session/branch", {"session_id": session_id, "turn_id": first})).json["session_id"]

    def said(shown: dict[str, list[dict[str, str]]]) -> list[str]:
        return [message["content"] for message in shown["messages"] if message["role"] == "user"]

    assert said(await web.shown(whole)) == ["one", "two"]
    await web.finished(await web.say(cut, "three", "finish"))
    assert said(await web.shown(cut)) == ["one", "three"]
    assert said(await web.shown(session_id)) == ["one", "two"]


async def test_a_branch_of_a_busy_session_is_idle(web: Served) -> None:
    session_id = await web.new_session()
    await web.finished(await web.say(session_id, "one", "finish"))
    running = await web.say(session_id, "two")
    await web.running(running)

    branch = (await web.post("/api/session/branch", {"session_id": session_id})).json["session_id"]

    shown = await web.shown(branch)
    assert (shown["active"], shown["last_event_id"]) == (None, 0)
    turn_id = await web.say(branch, "three", "finish")
    assert (await web.finished(turn_id))[-1].event == "done"
    refused = await web.post("/api/session/branch", {"session_id": session_id, "turn_id": running})
    assert (refused.status, refused.code) == (404, "not_found")


@pytest.mark.parametrize("who", ["bob", "operator"])
async def test_only_the_owner_and_the_operator_see_a_session(web: Served, who: str) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "hi")
    await web.begin_task(turn_id, "p1")
    web.agent.order(turn_id, "finish")
    await web.finished(turn_id)
    ours = {"session_id": session_id}

    replies = [
        await web.get("/api/session", who, session_id=session_id),
        await web.get("/api/tasks", who, session_id=session_id),
        await web.get("/api/tasks/p1", who),
        await web.get("/api/tasks/p1/log", who),
        await web.post("/api/chat/start", ours | {"message": "hi"}, who),
        await web.post("/api/chat/cancel", ours, who),
        await web.patch("/api/session", ours | {"title": "t"}, who),
        await web.post("/api/session/branch", ours, who),
        await web.post("/api/process-complete-ack", ours | {"process_id": "p1"}, who),
        await web.post("/api/tasks/p1/kill", {}, who),
    ]
    streams = [
        ("/api/chat/stream", {"stream_id": turn_id}),
        ("/api/session/stream", ours),
        ("/api/stream", {"sessions": session_id}),
    ]
    for path, query in streams:
        async with web.stream(path, who, **query) as reader:
            replies_status = reader.status
        assert replies_status == (404 if who == "bob" else 200), path

    assert {reply.status for reply in replies} == {404 if who == "bob" else 200}
    if who == "bob":
        assert {reply.code for reply in replies} == {"not_found"}
        for answer in (
            await web.post("/api/chat/withdraw", ours | {"turn_id": turn_id}, who),
            await web.post("/api/approval/respond", ours | {"call_id": "c", "choice": "deny"}, who),
        ):
            assert (answer.status, answer.code) == (404, "not_found")
    listed = (await web.get("/api/sessions", who)).json["sessions"]
    tasks = (await web.get("/api/tasks", who)).json["tasks"]
    assert bool(listed) is bool(tasks) is (who == "operator")


async def test_without_a_key_there_is_nothing_to_see(web: Served) -> None:
    for path in ("/api/sessions", "/api/session/stream", "/api/chat/stream", "/api/tasks"):
        reply = await web.get(path, "nobody")
        assert (reply.status, reply.code) == (401, "unauthorized")


async def test_only_the_operator_may_leave_the_folder_of_the_server(web: Served, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()

    answers = [
        await web.post("/api/session/new", {"workspace": folder}, who)
        for who, folder in (("ann", "/"), ("ann", str(tmp_path / "inside")), ("operator", "/"))
    ]

    assert [answer.status for answer in answers] == [400, 200, 200]
    assert answers[0].json["error"]["code"] == "invalid_request"


async def test_pinned_sessions_come_first_and_once_and_archived_ones_apart(web: Served) -> None:
    ids = [await web.new_session() for _ in range(5)]
    oldest, archived = ids[0], ids[3]
    await web.patch("/api/session", {"session_id": oldest, "pinned": True})
    await web.patch("/api/session", {"session_id": archived, "archived": True})

    async def page(**query: str) -> tuple[list[str], str | None]:
        reply = (await web.get("/api/sessions", **query)).json
        return [row["session_id"] for row in reply["sessions"]], reply["next_cursor"]

    first, cursor = await page(limit="2")
    assert first == [oldest, ids[4], ids[2]]
    assert cursor is not None
    assert await page(limit="2", cursor=cursor) == ([ids[1]], None)
    assert await page(archived="true") == ([archived], None)
    row = (await web.get("/api/sessions", archived="true")).json["sessions"][0]
    assert (row["archived"], row["pinned"]) == (True, False)
    assert (await web.get("/api/sessions", archived="perhaps")).code == "invalid_request"


async def test_a_session_has_a_mode_that_its_rows_show_and_a_change_tells(web: Served) -> None:
    session_id, plain = await web.new_session(mode="read_only"), await web.new_session()

    rows = {row["session_id"]: row["mode"] for row in (await web.get("/api/sessions")).json["sessions"]}
    assert rows == {session_id: "read_only", plain: "accept_edits"}
    reply = await web.request("PATCH", "/api/session", "ann", json={"session_id": session_id, "mode": "ask"})
    assert reply.status == 200
    assert (await web.shown(session_id))["session"]["mode"] == "ask"


@pytest.mark.parametrize(("who", "mode", "status", "code"), [
    ("ann", "everything", 403, "not_allowed"),
    ("ann", "whatever", 400, "invalid_request"),
    ("ann", "accept_edits", 200, None),
    ("operator", "everything", 200, None),
])  # fmt: skip
async def test_only_the_operator_may_allow_everything(
    web: Served, who: str, mode: str, status: int, code: str | None
) -> None:
    session_id = await web.new_session()

    changed = await web.request("PATCH", "/api/session", who, json={"session_id": session_id, "mode": mode})
    made = await web.request("POST", "/api/session/new", who, json={"mode": mode})

    assert (changed.status, made.status) == (status, status)
    assert code is None or (changed.code, made.code) == (code, code)


async def test_a_branch_of_a_session_that_the_operator_lets_do_everything_does_not(web: Served) -> None:
    session_id = await web.new_session()
    await web.finished(await web.say(session_id, "hi", "finish"))
    await web.request("PATCH", "/api/session", "operator", json={"session_id": session_id, "mode": "everything"})

    branch = await web.request("POST", "/api/session/branch", "ann", json={"session_id": session_id})

    assert (await web.shown(branch.json["session_id"]))["session"]["mode"] == "accept_edits"
