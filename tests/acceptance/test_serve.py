"""`wakeful serve` as a process: what it answers, how it ends, and what it refuses to start with."""

import asyncio
import signal
import socket
from dataclasses import replace

import pytest

from tests.acceptance.command import Command, leaves_nothing_running, read_until, turn_statuses, until
from tests.endpoint import Endpoint, Script

KEY = "a-key-of-a-laptop"


async def test_health_needs_no_key_and_the_rest_does(wakeful: Command) -> None:
    async with wakeful.serving() as server:
        key = (wakeful.home / "key").read_text().strip()

        health = await server.get("/health")
        without = await server.get("/anything")
        wrong = await server.get("/anything", "wk_wrong")
        unknown = await server.get("/anything", key)

    assert (health.status, health.json["status"]) == (200, "ok")
    assert (without.status, without.json["error"]["code"]) == (401, "unauthorized")
    assert wrong.status == 401
    assert (unknown.status, unknown.json["error"]["code"]) == (404, "not_found")


async def test_configured_keys_are_taken_too(wakeful: Command) -> None:
    async with wakeful.having(WAKEFUL_API_KEYS=f"laptop={KEY},ci={KEY}-of-ci").serving() as server:
        statuses = [(await server.get("/anything", key)).status for key in (KEY, f"{KEY}-of-ci", "laptop", KEY[:-1])]

    assert statuses == [404, 404, 401, 401]


async def test_it_says_where_it_is_and_where_the_key_is_but_not_the_key(wakeful: Command) -> None:
    async with wakeful.having(WAKEFUL_API_KEYS=f"laptop={KEY}", WAKEFUL_LOG_LEVEL="debug").serving() as server:
        await server.get("/anything", KEY)
        finished = await server.end()

    key = (wakeful.home / "key").read_text().strip()
    said = finished.out + finished.err
    assert f"Wakeful is at http://127.0.0.1:{server.port}\n" in said
    assert str(wakeful.home / "key") in said
    assert key not in said
    assert KEY not in said


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
async def test_it_ends_without_a_trace_when_it_is_told_to(wakeful: Command, how: signal.Signals) -> None:
    async with replace(wakeful, is_cold=True).serving() as server:
        finished = await server.end(how)

    assert (finished.code, finished.err) == (0, "")
    assert leaves_nothing_running(server.process)
    names = {path.name for path in wakeful.home.iterdir()}
    assert names == {"host", "key", "wakeful.db", "wakeful.db.lock", "workspace"}


async def test_a_second_server_is_refused_while_the_first_lives(wakeful: Command) -> None:
    async with wakeful.serving() as server:
        refused = await wakeful.run("serve", "--port", "0")

        assert (await server.get("/health")).status == 200
    assert refused.code == 1
    assert refused.err.startswith(f"wakeful: {wakeful.home}/wakeful.db is in use by another Wakeful (process ")
    assert refused.err.count("\n") == 1
    assert str(server.process.pid) in refused.err


async def test_a_question_is_answered_by_the_server_that_holds_the_database(wakeful: Command) -> None:
    async with wakeful.serving():
        asked = await wakeful.run("ask", "count to 3")

    assert (asked.code, asked.out, asked.err) == (0, "1 2 3\n", "")
    assert turn_statuses(wakeful.home) == ["done"]


async def test_stopping_a_question_stops_its_turn_on_the_server(wakeful: Command) -> None:
    async with wakeful.serving():
        asking = await wakeful.start("ask", "count to 5000")
        await read_until(asking.stdout, "3 ")
        asking.send_signal(signal.SIGINT)
        await asking.communicate()

        assert asking.returncode == 130
        assert turn_statuses(wakeful.home) == ["cancelled"]


async def test_a_killed_server_can_be_started_again_at_once(wakeful: Command) -> None:
    async with wakeful.serving() as first:
        first.process.kill()
        await first.process.communicate()

    async with wakeful.serving() as second:
        assert (await second.get("/health")).status == 200


async def test_a_port_in_use_is_reported_before_anything_is_started(wakeful: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        finished = await wakeful.run("serve", "--port", port)

    assert finished.code == 2
    assert finished.err == (
        f"wakeful: The address 127.0.0.1:{port} is in use by another program: "
        "stop that one, or choose another with --port.\n"
    )
    assert not (wakeful.home / "wakeful.db").exists()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
async def test_an_open_address_without_a_configured_key_is_refused(wakeful: Command, host: str) -> None:
    finished = await wakeful.run("serve", "--host", host, "--port", "0")

    assert finished.code == 2
    assert finished.err.startswith(f"wakeful: The host {host} can be reached from other machines")
    assert "WAKEFUL_API_KEYS" in finished.err
    assert finished.err.count("\n") == 1


async def test_an_open_address_with_a_configured_key_is_served(wakeful: Command) -> None:
    async with wakeful.having(WAKEFUL_API_KEYS=f"laptop={KEY}").serving("--host", "0.0.0.0") as server:
        assert (await server.get("/health")).status == 200


async def test_localhost_is_served(wakeful: Command) -> None:
    async with wakeful.serving("--host", "localhost") as server:
        assert (await server.get("/health")).status == 200


@pytest.mark.parametrize("host", ["192.0.2.1", "a b"])
async def test_an_address_of_another_machine_is_refused(wakeful: Command, host: str) -> None:
    finished = await wakeful.having(WAKEFUL_API_KEYS=f"laptop={KEY}").run("serve", "--host", host)

    assert finished.code == 2
    assert finished.err.startswith("wakeful: --host must be an address")
    assert host in finished.err


async def test_first_starts_at_the_same_time_make_one_key(wakeful: Command) -> None:
    runs = await asyncio.gather(*(wakeful.run("key") for _ in range(4)))

    assert {run.code for run in runs} == {0}
    assert {run.out for run in runs} == {(wakeful.home / "key").read_text()}
    assert (wakeful.home / "key").stat().st_mode & 0o777 == 0o600


async def test_a_key_that_others_can_read_stops_the_start(wakeful: Command) -> None:
    await wakeful.run("key")
    (wakeful.home / "key").chmod(0o644)

    finished = await wakeful.run("serve", "--port", "0")

    assert finished.code == 2
    assert "open to others (mode 644)" in finished.err


async def test_a_turn_outlives_a_killed_process_and_a_stopped_server(wakeful: Command) -> None:
    scripts = [Script(tokens=5, hang_after=2), Script(hang=True), Script(text="Whole.")]
    async with Endpoint(scripts) as endpoint:
        wakeful = using(wakeful, endpoint)
        await leave_a_turn(wakeful)
        async with wakeful.having(WAKEFUL_STOP_GRACE_SECONDS="0").serving() as server:
            await endpoint.wait_for(requests=2)
            assert (await server.end()).code == 0
        assert turn_statuses(wakeful.home) == ["running"]

        async with wakeful.serving():
            await until(lambda: turns_are(wakeful, "done"))


async def test_a_server_that_waits_for_its_turns_says_that_it_is_stopping(wakeful: Command) -> None:
    async with Endpoint([Script(tokens=5, hang_after=2), Script(hang=True)]) as endpoint:
        wakeful = using(wakeful, endpoint).having(WAKEFUL_STOP_GRACE_SECONDS="30", WAKEFUL_MODEL_TRIES="1")
        await leave_a_turn(wakeful)
        async with wakeful.serving() as server:
            await endpoint.wait_for(requests=2)

            server.process.send_signal(signal.SIGTERM)

            async def is_stopping() -> bool:
                reply = await server.get("/health")
                return (reply.status, reply.json["status"]) == (503, "stopping")

            await until(is_stopping)
            # Now the turn ends, and the server with it.
            await endpoint.__aexit__()
            assert await server.process.wait() == 0


async def leave_a_turn(wakeful: Command) -> None:
    asking = await wakeful.start("ask", "hi")
    await read_until(asking.stdout, "token1 ")
    asking.kill()
    await asking.communicate()


async def turns_are(wakeful: Command, *statuses: str) -> bool:
    return turn_statuses(wakeful.home) == list(statuses)


def using(wakeful: Command, endpoint: Endpoint) -> Command:
    return wakeful.having(WAKEFUL_MODEL="openai:scripted", OPENAI_BASE_URL=endpoint.url)


async def test_two_servers_share_a_postgres_database(wakeful: Command, postgres_url: str) -> None:
    shared = wakeful.having(WAKEFUL_DATABASE_URL=postgres_url)
    async with shared.serving() as first, shared.serving() as second:
        assert (await first.get("/health")).status == 200
        assert (await second.get("/health")).status == 200

        ends = [await first.end(), await second.end()]

    assert [(end.code, end.err) for end in ends] == [(0, ""), (0, "")]
