"""The doors of a built server: a message comes in, an agent answers, and the platform shows it."""

import asyncio
from pathlib import Path

import httpx2

from tests.patience import PATIENCE
from tests.platforms.telegram_server import ANN, TOKEN, TelegramServer
from tests.unit.building.kit import config_in, server_of
from wakeful.gateway.messaging.inbound.commands import COMMANDS


def _toml(telegram: TelegramServer, mode: str) -> str:
    return f"""
    public_url = "https://a.example"
    telegram_token = "{TOKEN}"
    telegram_api_url = "{telegram.url}"
    telegram_allow = ["{ANN["id"]}"]
    telegram_mode = "{mode}"
    telegram_stream = "off"
    """


async def test_a_message_is_answered_in_its_chat(tmp_path: Path) -> None:
    async with (
        asyncio.timeout(PATIENCE),
        TelegramServer() as telegram,
        server_of(config_in(tmp_path, _toml(telegram, "polling"))) as server,
    ):
        await telegram.write(7, "count to 3")
        await telegram.until(lambda: "1 2 3" in telegram.chat(7).said)
        (session,) = (await server.http.get("/api/sessions")).json()["sessions"]
        session = (await server.http.get("/api/session", params={"session_id": session["session_id"]})).json()
        (status,) = (await server.http.get("/api/platforms")).json()["platforms"]

    assert (status["name"], status["bot"]) == ("telegram", "wakeful_bot")
    assert session["session"]["workspace"] == f"{tmp_path}/workspace"
    assert [one["command"] for one in telegram.commands] == list(COMMANDS)


async def test_commands_and_files_of_a_chat_reach_the_parts_that_they_need(tmp_path: Path) -> None:
    async with TelegramServer() as telegram, asyncio.timeout(PATIENCE):
        telegram.files["f"] = b"words of a file"
        async with server_of(config_in(tmp_path, _toml(telegram, "polling"))):
            for number, words in enumerate(["/mode", "/model", "/model nobody:x"], start=1):
                await telegram.write(7, words)
                await telegram.until(lambda: len(telegram.chat(7).said) == number)  # noqa: B023
            await telegram.write(7, document={"file_id": "f", "file_name": "notes.txt", "file_size": 15})
            await telegram.until(lambda: len(telegram.chat(7).said) == 4)

    mode, model, unknown, about_file = telegram.chat(7).said
    assert (mode, model) == ("Mode: accept_edits", "Model: demo:wakeful")
    assert "nobody" in unknown
    assert "[File: inbox/107-notes.txt, 15 bytes]" in about_file
    assert (tmp_path / "workspace" / "inbox" / "107-notes.txt").read_bytes() == b"words of a file"


async def test_telegram_may_call_the_server_with_the_secret_of_its_door(tmp_path: Path) -> None:
    answers: list[httpx2.Response] = []
    async with (
        asyncio.timeout(PATIENCE),
        TelegramServer() as telegram,
        server_of(config_in(tmp_path, _toml(telegram, "webhook"))) as server,
    ):
        await telegram.until(lambda: telegram.webhook)
        message = {"message_id": 1, "chat": {"id": 7, "type": "private"}, "from": ANN, "text": "count to 2"}
        telegram.chat(7)
        for secret in ("wrong", telegram.webhook["secret_token"]):
            headers = {"x-telegram-bot-api-secret-token": secret}
            update = {"update_id": 1, "message": message}
            answers.append(await server.http.post("/platforms/telegram", json=update, headers=headers))
        await telegram.until(lambda: "1 2" in telegram.chat(7).said)

    assert [answer.status_code for answer in answers] == [401, 200]
