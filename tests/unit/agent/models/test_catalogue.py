"""The catalogue: reads return at once, and one refresh runs in the background."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.unit.agent.models.catalogue_kit import DEFAULT, Clock, Source, ids, reading_starts_a_refresh
from wakeful.agent.models.catalogue import Catalogue
from wakeful.errors import ModelError

Make = Callable[..., Catalogue]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def make(tmp_path: Path, clock: Clock) -> AsyncIterator[Make]:
    made: list[Catalogue] = []

    def build(*sources: Source, default: str = DEFAULT, patience: float = 4.0, limit: float = 60.0) -> Catalogue:
        file = tmp_path / "models.json"
        made.append(Catalogue(sources, file, default, clock=clock, patience=patience, limit=limit))
        return made[-1]

    yield build
    for catalogue in made:
        await catalogue.close()


async def test_before_the_first_refresh_the_built_in_models_are_listed(make: Make) -> None:
    source = Source("llama")
    source.may_answer.clear()

    catalogue = make(source)

    assert ids(catalogue) == ["demo:wakeful", DEFAULT]


async def test_a_provider_s_models_are_listed_beside_the_built_in_ones(make: Make) -> None:
    catalogue = make(Source("llama", "gpt-5"))

    await catalogue.refresh()

    assert ids(catalogue) == ["demo:wakeful", "openai:gpt-5", "openai:llama"]


async def test_many_readers_of_an_old_list_start_one_refresh_and_do_not_wait(make: Make) -> None:
    source = Source("llama")
    source.may_answer.clear()
    catalogue = make(source)

    lists = [ids(catalogue) for _ in range(20)]
    waiting = asyncio.create_task(catalogue.refresh())
    await source.was_asked.wait()
    source.may_answer.set()
    await waiting

    assert lists == [["demo:wakeful", DEFAULT]] * 20
    assert source.asked == 1
    assert "openai:llama" in ids(catalogue)


async def test_a_list_is_asked_for_again_only_when_it_is_old(make: Make, clock: Clock) -> None:
    source = Source("llama")
    catalogue = make(source)
    await catalogue.refresh()

    clock.now += 599
    assert not reading_starts_a_refresh(catalogue)
    clock.now += 1
    assert reading_starts_a_refresh(catalogue)
    await catalogue.refresh()

    assert source.asked == 2


async def test_a_clock_that_was_set_back_makes_the_list_old(make: Make, clock: Clock) -> None:
    source = Source("llama")
    catalogue = make(source)
    await catalogue.refresh()

    clock.now -= 86_400

    assert reading_starts_a_refresh(catalogue)


async def test_a_provider_that_fails_keeps_its_old_models(
    make: Make, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    broken, sound = Source("old"), Source("one", provider="other")
    catalogue = make(broken, sound)
    await catalogue.refresh()

    broken.error = ModelError("The model endpoint is gone.", code="model_unavailable")
    sound.names = ["two"]
    clock.now += 600
    await catalogue.refresh()

    assert ids(catalogue) == ["demo:wakeful", DEFAULT, "openai:old", "other:two"]
    assert "cannot list the models of openai: The model endpoint is gone." in caplog.text
    # The next process knows both, and this one leaves all providers alone for a moment.
    assert ids(make(broken, sound)) == ["demo:wakeful", DEFAULT, "openai:old", "other:two"]
    clock.now += 59
    assert not reading_starts_a_refresh(catalogue)


async def test_one_provider_that_was_never_asked_is_enough_for_a_refresh(make: Make) -> None:
    await make(Source("one")).refresh()
    late = Source("two", provider="other")

    await make(Source("one"), late).refresh()

    assert late.asked == 1


async def test_a_provider_with_a_bug_spoils_nothing(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    broken, sound = Source(), Source("one", provider="other")
    broken.error = ZeroDivisionError("a bug")
    catalogue = make(broken, sound)

    await catalogue.refresh()

    assert "other:one" in ids(catalogue)
    assert "a bug" in caplog.text


async def test_callers_wait_a_moment_and_a_slow_list_arrives_behind_them(make: Make) -> None:
    slow, sound = Source("late"), Source("one", provider="other")
    slow.may_answer.clear()
    catalogue = make(slow, sound, patience=0.02)

    assert await catalogue.refresh()
    assert ids(catalogue) == ["demo:wakeful", DEFAULT, "other:one"]
    slow.may_answer.set()
    while await catalogue.refresh():
        pass

    assert ids(catalogue) == ["demo:wakeful", DEFAULT, "openai:late", "other:one"]
    assert (slow.asked, sound.asked) == (1, 1)


async def test_a_provider_that_never_answers_is_given_up_at_last(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    silent = Source("never")
    silent.may_answer.clear()
    catalogue = make(silent, limit=0.02)

    await catalogue.refresh()

    assert not await catalogue.refresh()
    assert "openai did not list its models within 0.02 s" in caplog.text


async def test_a_list_that_is_new_is_not_waited_for(make: Make) -> None:
    catalogue = make(Source("llama"))
    await catalogue.refresh()

    assert not await catalogue.refresh()


async def test_after_a_failure_a_provider_is_left_alone_for_a_minute(make: Make, clock: Clock) -> None:
    source = Source("llama")
    source.error = ModelError("gone", code="model_unavailable")
    catalogue = make(source)
    await catalogue.refresh()

    clock.now += 59
    assert not reading_starts_a_refresh(catalogue)
    clock.now += 1
    assert reading_starts_a_refresh(catalogue)


async def test_a_caller_that_leaves_does_not_end_the_refresh(make: Make) -> None:
    source = Source("llama")
    source.may_answer.clear()
    catalogue = make(source)
    caller = asyncio.create_task(catalogue.refresh())
    await source.was_asked.wait()

    caller.cancel()
    await asyncio.wait([caller])
    source.may_answer.set()
    await catalogue.refresh()

    assert source.asked == 1
    assert "openai:llama" in ids(catalogue)


async def test_without_a_configured_provider_nothing_is_asked(make: Make, tmp_path: Path) -> None:
    catalogue = make(default="demo:wakeful")

    await catalogue.refresh()

    assert ids(catalogue) == ["demo:wakeful"]
    assert list(tmp_path.iterdir()) == []


async def test_closing_ends_a_refresh_and_no_other_begins(make: Make) -> None:
    source = Source("llama")
    source.may_answer.clear()
    catalogue = make(source)
    waiting = asyncio.create_task(catalogue.refresh())
    await source.was_asked.wait()

    await catalogue.close()
    await catalogue.close()
    await waiting

    assert not reading_starts_a_refresh(catalogue)
    await catalogue.refresh()
    assert source.asked == 1
