"""`wakeful ask` as people use it: a process of its own, a model endpoint on the network, a pipe, a Ctrl-C."""

import os
import signal
from contextlib import AsyncExitStack

import pytest

from tests.acceptance.command import Command, Finished, leaves_nothing_running, read_until, turn_statuses
from tests.endpoint import Endpoint, Script

_KEY = "sk-very-secret-key"


def asking(wakeful: Command, endpoint: Endpoint) -> Command:
    return wakeful.having(WAKEFUL_MODEL="openai:scripted", OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY=_KEY)


def assert_one_sentence(finished: Finished, *words: str) -> None:
    """Check that the last line says what is wrong, and that there is neither a traceback nor a secret."""
    last = finished.err.splitlines()[-1]
    assert last.startswith("wakeful: ")
    assert all(word in last for word in words), last
    assert "Traceback" not in finished.err
    assert _KEY not in finished.out + finished.err


async def test_without_any_settings_the_demonstration_model_answers(wakeful: Command) -> None:
    finished = await wakeful.run("ask", "hello there")

    assert (finished.code, finished.err) == (0, "")
    assert "> hello there" in finished.out
    assert finished.out.endswith(".\n")


async def test_demonstration_model_works_in_the_current_folder(wakeful: Command) -> None:
    (wakeful.folder / "notes.txt").write_text("milk and bread")

    finished = await wakeful.run("ask", "read notes.txt")

    assert finished.code == 0
    assert "> milk and bread" in finished.out
    assert finished.err == '[read_file {"path":"notes.txt"}]\n'


async def test_the_answer_of_an_endpoint_is_printed(wakeful: Command) -> None:
    async with Endpoint(Script(text="Grüße, 🐈")) as endpoint:
        finished = await asking(wakeful, endpoint).run("ask", "hi")

    assert (finished.code, finished.out, finished.err) == (0, "Grüße, 🐈\n", "")
    assert endpoint.bodies[0]["model"] == "scripted"
    assert endpoint.bodies[0]["messages"][-1] == {"role": "user", "content": "hi"}
    assert endpoint.tally.headers[0]["authorization"] == f"Bearer {_KEY}"


@pytest.mark.parametrize("is_served", [False, True])
async def test_a_file_goes_along_and_a_missing_one_leaves_no_session(wakeful: Command, is_served: bool) -> None:
    (wakeful.folder / "notes.txt").write_text("milk and bread")
    async with Endpoint(Script(text="Read.")) as endpoint, AsyncExitStack() as stack:
        with_model = asking(wakeful, endpoint)
        if is_served:
            await stack.enter_async_context(with_model.serving())
        missing = await with_model.run("ask", "look", "--attach", "nowhere.txt")
        read = await with_model.run("ask", "look", "--attach", "notes.txt")
        listed = await with_model.run("sessions")

    assert_one_sentence(missing, "nowhere.txt cannot be attached: no such file or directory")
    assert (missing.code, read.code, read.out) == (2, 0, "Read.\n")
    assert "milk and bread" in str(endpoint.bodies[0]["messages"][-1])
    assert len(listed.out.splitlines()) == 1, listed.out


async def test_the_answer_is_printed_while_it_comes(wakeful: Command) -> None:
    async with Endpoint(Script(tokens=5, hang_after=3)) as endpoint:
        process = await asking(wakeful, endpoint).start("ask", "hi")

        assert await read_until(process.stdout, "token2 ") == "token0 token1 token2 "

        process.kill()
        await process.communicate()


async def test_the_model_uses_files_of_the_current_folder(wakeful: Command) -> None:
    (wakeful.folder / "notes.txt").write_text("milk and bread")
    calls = [
        {"name": "read_file", "arguments": {"path": "notes.txt"}},
        {"name": "write_file", "arguments": {"path": "new.txt", "content": "eggs"}},
    ]
    async with Endpoint(Script(calls=calls, text="Done.")) as endpoint:
        finished = await asking(wakeful, endpoint).run("ask", "look")

    assert (finished.code, finished.out) == (0, "Done.\n")
    assert finished.err.splitlines() == [
        '[read_file {"path":"notes.txt"}]',
        '[write_file {"path":"new.txt","content":"eggs"}]',
    ]
    results = [message["content"] for message in endpoint.bodies[1]["messages"] if message["role"] == "tool"]
    assert "milk and bread" in results[0]
    assert (wakeful.folder / "new.txt").read_text() == "eggs"


async def test_the_message_may_come_from_standard_input(wakeful: Command) -> None:
    async with Endpoint(Script()) as endpoint:
        finished = await asking(wakeful, endpoint).run("ask", "-", stdin="two\nlines é\n".encode())

    assert finished.code == 0
    assert endpoint.bodies[0]["messages"][-1]["content"] == "two\nlines é\n"


async def test_an_option_chooses_the_model(wakeful: Command) -> None:
    async with Endpoint(Script()) as endpoint:
        await asking(wakeful, endpoint).run("ask", "--model", "openai:other", "hi")

    assert endpoint.bodies[0]["model"] == "other"


@pytest.mark.parametrize(
    ("argument", "stdin", "words"),
    [
        ("", b"", "empty"),
        (" \n ", b"", "empty"),
        ("-", b"", "empty"),
        ("a\udcffb", b"", "UTF-8"),
        ("-", b"a\xffb", "UTF-8"),
    ],
)
async def test_a_message_that_is_no_text_is_refused(wakeful: Command, argument: str, stdin: bytes, words: str) -> None:
    finished = await wakeful.run("ask", argument, stdin=stdin)

    assert finished.code == 2
    assert_one_sentence(finished, words)


async def test_a_passing_failure_of_the_endpoint_is_not_noticed(wakeful: Command) -> None:
    async with Endpoint([Script(status=500), Script(text="Here.")]) as endpoint:
        finished = await asking(wakeful, endpoint).run("ask", "hi")

    assert (finished.code, finished.out, finished.err) == (0, "Here.\n", "")


async def test_an_endpoint_that_always_fails_ends_the_turn(wakeful: Command) -> None:
    async with Endpoint(Script(status=500)) as endpoint:
        finished = await asking(wakeful, endpoint).having(WAKEFUL_MODEL_TRIES="2").run("ask", "hi")

    assert (finished.code, finished.out) == (1, "")
    assert_one_sentence(finished, "failed (500", "try again later")
    assert endpoint.tally.requests == 2


async def test_a_refused_key_is_reported_at_once_and_not_shown(wakeful: Command) -> None:
    refusal = {"message": f"Incorrect API key provided: {_KEY}"}
    async with Endpoint(Script(status=401, error=refusal)) as endpoint:
        finished = await asking(wakeful, endpoint).run("ask", "hi")

    assert finished.code == 1
    assert_one_sentence(finished, "OPENAI_API_KEY")
    assert endpoint.tally.requests == 1


async def test_an_endpoint_that_is_not_there_is_named(wakeful: Command) -> None:
    async with Endpoint(Script()) as endpoint:
        pass
    finished = await asking(wakeful, endpoint).having(WAKEFUL_MODEL_TRIES="1").run("ask", "hi")

    assert finished.code == 1
    assert_one_sentence(finished, endpoint.url, "cannot be reached", "OPENAI_BASE_URL")


async def test_a_silent_endpoint_is_given_up(wakeful: Command) -> None:
    wakeful = wakeful.having(WAKEFUL_MODEL_TRIES="1", WAKEFUL_MODEL_IDLE_SECONDS="0.3")
    async with Endpoint(Script(hang=True)) as endpoint:
        finished = await asking(wakeful, endpoint).run("ask", "hi")

    assert finished.code == 1
    assert_one_sentence(finished, "said nothing for 0.3 s")


async def test_a_fallback_answers_for_a_model_without_credit_and_a_remark_says_so(wakeful: Command) -> None:
    async with Endpoint(Script(status=402)) as endpoint:
        falling_back = asking(wakeful, endpoint).having(WAKEFUL_FALLBACK_MODELS="demo:wakeful")
        finished = await falling_back.run("ask", "hello")

    assert (finished.code, "> hello" in finished.out) == (0, True)
    assert finished.err.startswith("[demo:wakeful answers instead of openai:scripted: The model endpoint http")
    assert endpoint.tally.requests == 1


async def test_a_day_that_has_reached_its_hard_cap_asks_no_model(wakeful: Command) -> None:
    config = '[models."openai:scripted"]\ninput_price = 1000\noutput_price = 1000\n'
    wakeful.home.mkdir(exist_ok=True)
    (wakeful.home / "config.toml").write_text(config)
    async with Endpoint(Script(tokens=5)) as endpoint:
        capped = asking(wakeful, endpoint).having(WAKEFUL_DAILY_SPEND_HARD_USD="0.001")
        first = await capped.run("ask", "hello")
        second = await capped.run("ask", "hello again")

    assert (first.code, second.code, second.out) == (0, 1, "")
    assert_one_sentence(second, "Today's spend has reached its limit of 0.001 USD (WAKEFUL_DAILY_SPEND_HARD_USD)")
    assert endpoint.tally.requests == 1


async def test_an_answer_that_breaks_off_is_asked_for_again(wakeful: Command) -> None:
    async with Endpoint([Script(tokens=5, break_after=2), Script(text="Whole.")]) as endpoint:
        finished = await asking(wakeful, endpoint).run("ask", "hi")

    assert (finished.code, finished.out) == (0, "token0 token1 \nWhole.\n")
    assert "broke off" in finished.err


async def test_an_answer_that_always_breaks_off_fails_the_turn(wakeful: Command) -> None:
    async with Endpoint(Script(tokens=5, break_after=2)) as endpoint:
        finished = await asking(wakeful, endpoint).having(WAKEFUL_MODEL_TRIES="2").run("ask", "hi")

    assert (finished.code, finished.out) == (1, "token0 token1 \n" * 2)
    assert_one_sentence(finished, "broke off")


async def test_limit_of_steps_ends_the_turn(wakeful: Command) -> None:
    calls = [{"name": "list_files", "arguments": {}}]
    async with Endpoint(Script(calls=calls)) as endpoint:
        finished = await asking(wakeful, endpoint).having(WAKEFUL_STEP_LIMIT="1").run("ask", "hi")

    assert finished.code == 1
    assert_one_sentence(finished, "WAKEFUL_STEP_LIMIT")


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_ctrl_c_stops_the_turn_and_the_model(wakeful: Command, stop: signal.Signals, code: int) -> None:
    async with Endpoint(Script(tokens=5, hang_after=3)) as endpoint:
        process = await asking(wakeful, endpoint).start("ask", "hi")
        await read_until(process.stdout, "token2 ")

        process.send_signal(stop)
        out, err = await process.communicate()

        await endpoint.wait_for(dropped=1)
    assert (process.returncode, out, err) == (code, b"\n", b"")
    assert leaves_nothing_running(process)
    assert turn_statuses(wakeful.home) == ["cancelled"]


async def test_a_reader_that_leaves_stops_the_turn(wakeful: Command) -> None:
    async with Endpoint(Script(tokens=100_000, rate=500)) as endpoint:
        reading, writing = os.pipe()
        process = await asking(wakeful, endpoint).start("ask", "hi", stdout=writing)
        os.close(writing)
        await endpoint.wait_for(requests=1)

        # The reader has closed the pipe, as `| head -1` does.
        os.close(reading)
        _, err = await process.communicate()

        await endpoint.wait_for(dropped=1)
    assert (process.returncode, err) == (1, b"")
    assert turn_statuses(wakeful.home) == ["cancelled"]


async def test_asking_leaves_nothing_behind_but_the_database(wakeful: Command) -> None:
    await wakeful.run("ask", "list files")

    names = {path.name for path in wakeful.home.iterdir()}
    assert names == {"host", "key", "wakeful.db", "wakeful.db.lock"}
    assert turn_statuses(wakeful.home) == ["done"]


async def test_asking_on_postgres(wakeful: Command, postgres_url: str) -> None:
    (wakeful.folder / "notes.txt").write_text("milk and bread")

    finished = await wakeful.having(WAKEFUL_DATABASE_URL=postgres_url).run("ask", "read notes.txt")

    assert finished.code == 0
    assert "> milk and bread" in finished.out
    assert not (wakeful.home / "wakeful.db").exists()


_HASTY = "import wakeful.cli.asking.served_turn as s; s._PATIENCE_SECONDS = 1.0; s._STOP_SECONDS = 0.2"


async def test_through_a_server_its_model_answers_unless_another_is_named(wakeful: Command) -> None:
    async with Endpoint(Script()) as endpoint, asking(wakeful, endpoint).serving():
        (wakeful.home / "config.toml").write_text('model = "openai:written-later"\n')

        await wakeful.run("ask", "hi")
        await wakeful.having(WAKEFUL_MODEL="openai:mine").run("ask", "hi")
        await wakeful.run("ask", "--model", "openai:other", "hi")

    assert [body["model"] for body in endpoint.bodies] == ["scripted", "mine", "other"]


async def test_a_server_that_dies_under_the_turn_is_given_up_with_a_sentence(wakeful: Command) -> None:
    async with Endpoint(Script(tokens=5, hang_after=3)) as endpoint, asking(wakeful, endpoint).serving() as server:
        process = await wakeful.start("ask", "hi", before=_HASTY)
        await read_until(process.stdout, "token2 ")

        server.process.kill()
        out, err = await process.communicate()

    assert process.returncode == 1
    assert_one_sentence(Finished(1, out.decode(), err.decode()), "does not answer any more", "wakeful attach ses_")


async def test_ctrl_c_ends_it_also_when_the_server_is_frozen(wakeful: Command) -> None:
    async with Endpoint(Script(tokens=5, hang_after=3)) as endpoint, asking(wakeful, endpoint).serving() as server:
        process = await wakeful.start("ask", "hi", before=_HASTY)
        await read_until(process.stdout, "token2 ")

        server.process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()

    assert (process.returncode, err) == (130, b"")


async def test_a_missing_key_is_named_when_the_model_is_first_asked(wakeful: Command) -> None:
    finished = await wakeful.having(WAKEFUL_MODEL="anthropic:claude-opus-5").run("ask", "hi")

    assert finished.code == 1
    assert_one_sentence(finished, "https://api.anthropic.com/v1/messages", "needs an API key", "ANTHROPIC_API_KEY")
