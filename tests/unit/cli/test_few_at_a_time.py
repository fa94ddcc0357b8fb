"""Requests that arrive together: a few begin, and go on while the others wait."""

import asyncio

from starlette.types import Receive, Scope, Send

from wakeful.cli.few_at_a_time import FewAtATime


class App:
    """Answers in two steps, and writes down who took which."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.steps.append(f"{scope['path']} begins")
        await asyncio.sleep(0)
        self.steps.append(f"{scope['path']} ends")


async def receive() -> dict[str, str]:
    raise AssertionError


async def send(message: object) -> None:
    raise AssertionError


def asked(app: FewAtATime, path: int) -> asyncio.Task[None]:
    return asyncio.ensure_future(app({"path": path}, receive, send))


async def test_the_first_end_before_the_last_begin() -> None:
    app = App()
    door = FewAtATime(app)

    await asyncio.gather(*(asked(door, path) for path in range(50)))

    assert app.steps.index("0 ends") < app.steps.index("20 begins")
    assert [step for step in app.steps if "begins" in step] == [f"{path} begins" for path in range(50)]
    assert len(app.steps) == 100


async def test_one_alone_does_not_wait() -> None:
    app = App()
    door = FewAtATime(app)

    for path in range(20):
        await door({"path": path}, receive, send)

    assert len(app.steps) == 40


async def test_one_that_goes_away_while_it_waits_holds_up_no_other() -> None:
    app = App()
    door = FewAtATime(app)
    calls = [asked(door, path) for path in range(40)]
    await asyncio.sleep(0)

    for call in calls[8:38]:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)

    assert [step for step in app.steps if "ends" in step] == [f"{path} ends" for path in (*range(8), 38, 39)]
