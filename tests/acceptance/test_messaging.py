"""The messaging doors of a server as a process: what an agent's command knows, schedules, platforms in trouble."""

import re

from tests.acceptance.command import Command, Server, until
from tests.platforms.discord_server import DiscordServer
from tests.platforms.telegram_server import TOKEN, TelegramServer

WRONG = "a-token-that-nobody-knows"
SHOW = "run env | grep ^HERMES_ | sort; echo that is all"


def on_telegram(wakeful: Command, telegram: TelegramServer) -> Command:
    return wakeful.having(
        WAKEFUL_TELEGRAM_TOKEN=TOKEN, WAKEFUL_TELEGRAM_API_URL=telegram.url, WAKEFUL_TELEGRAM_ALLOW="7"
    )


def environment_in(text: str) -> dict[str, str]:
    return dict(re.findall(r"^(HERMES_\w+)=(.*)$", text, re.MULTILINE))


async def shown(telegram: TelegramServer, words: str) -> str:
    """Wait for an answer of the bot with these words that is shown to its end, and return it whole."""

    def whole() -> list[str]:
        return [text for text in telegram.chat(7).said if words in text and "\nthat is all" in text]

    await telegram.until(whole)
    return whole()[0]


async def test_a_command_knows_the_message_that_it_runs_for_and_a_schedule_its_target(wakeful: Command) -> None:
    async with TelegramServer() as telegram:
        talking = on_telegram(wakeful, telegram)
        async with talking.serving() as server:
            message_id = await telegram.write(7, SHOW)
            asked = environment_in(await shown(telegram, "HERMES_SESSION_KEY"))
            telegram.chat(7).messages.clear()
            job = (await talking.run("cron", "add", "@monthly", SHOW, "--deliver", "telegram:7")).out.split()[0]
            fired = await talking.run("cron", "run", job)
            scheduled = environment_in(await shown(telegram, "HERMES_CRON"))
            await server.end()

    assert asked.pop("HERMES_SESSION_ID").startswith("ses_")
    assert asked == {
        "HERMES_SESSION_PLATFORM": "telegram",
        "HERMES_SESSION_SOURCE": "user",
        "HERMES_SESSION_CHAT_ID": "7",
        "HERMES_SESSION_CHAT_NAME": "Ann Lee",
        "HERMES_SESSION_THREAD_ID": "",
        "HERMES_SESSION_USER_ID": "7",
        "HERMES_SESSION_USER_NAME": "Ann Lee",
        "HERMES_SESSION_MESSAGE_ID": str(message_id),
        "HERMES_SESSION_KEY": "telegram:private:7",
    }
    assert fired.code == 0
    assert scheduled["HERMES_SESSION_SOURCE"] == "cron"
    assert scheduled["HERMES_SESSION_KEY"] == "telegram:private:7"
    assert scheduled["HERMES_CRON_AUTO_DELIVER_PLATFORM"] == "telegram"
    assert scheduled["HERMES_CRON_AUTO_DELIVER_CHAT_ID"] == "7"
    assert scheduled["HERMES_CRON_AUTO_DELIVER_THREAD_ID"] == ""


async def test_platforms_that_are_down_or_refuse_the_token_harm_no_other_door(
    wakeful: Command, unused_tcp_port: int
) -> None:
    async with TelegramServer() as telegram, DiscordServer() as discord:
        troubled = on_telegram(wakeful, telegram).having(
            WAKEFUL_DISCORD_TOKEN=WRONG,
            WAKEFUL_DISCORD_API_URL=discord.url,
            WAKEFUL_SLACK_BOT_TOKEN=f"xoxb-{WRONG}",
            WAKEFUL_SLACK_APP_TOKEN=f"xapp-{WRONG}",
            WAKEFUL_SLACK_API_URL=f"http://127.0.0.1:{unused_tcp_port}/api/",
        )
        async with troubled.serving() as server:
            await until(lambda: _is_settled(server))
            health = await server.get("/health")
            await telegram.write(7, "Hello")
            await telegram.until(lambda: telegram.chat(7).said)
            examined = await troubled.run("doctor")
            ended = await server.end()

    assert health.status == 200
    assert examined.code == 1
    assert "doors: warning: " in examined.out
    assert "discord: failed: " in examined.out
    assert "slack: failed: " in examined.out
    assert "telegram: ok (" in examined.out
    assert WRONG not in examined.out + examined.err + ended.out + ended.err


async def _is_settled(server: Server) -> bool:
    platforms = (await server.get("/health")).json["platforms"]
    return bool(platforms == {"telegram": "connected", "discord": "refused", "slack": "retrying"})
