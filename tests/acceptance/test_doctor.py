"""`wakeful doctor` and `wakeful pair` beside a running server."""

from tests.acceptance.command import Command
from tests.platforms.telegram_server import TOKEN, TelegramServer


async def test_a_stranger_is_let_in_by_the_code_that_the_bot_has_told_them(wakeful: Command) -> None:
    async with TelegramServer() as telegram:
        talking = wakeful.having(WAKEFUL_TELEGRAM_TOKEN=TOKEN, WAKEFUL_TELEGRAM_API_URL=telegram.url)
        async with talking.serving():
            await telegram.write(7, "Hello")
            await telegram.until(lambda: len(telegram.chat(7).messages) == 2)
            told = list(telegram.chat(7).messages.values())[-1]["text"]
            code = told.rpartition(" ")[2]
            let_in = await talking.run("pair", code)
            examined = await talking.run("doctor")

    assert told.endswith(f"ask them to run: wakeful pair {code}")
    assert (let_in.code, let_in.out) == (0, "telegram 7 (Ann Lee) may talk now.\n")
    assert (examined.code, "telegram: ok (@wakeful_bot" in examined.out) == (0, True), examined
    assert "port: ok (the server runs)\n" in examined.out
    assert "people: ok (1 paired)" in examined.out
    assert TOKEN not in examined.out + examined.err
