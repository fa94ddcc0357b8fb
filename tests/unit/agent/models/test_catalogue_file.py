"""The catalogue on disk: what one process has fetched, the next one reads."""

import os
from pathlib import Path

import pytest

from tests.unit.agent.models.catalogue_kit import DEFAULT, Clock, Source, ids, reading_starts_a_refresh
from wakeful.agent.models.catalogue import Catalogue
from wakeful.agent.models.catalogue_file import CatalogueFile, Listing
from wakeful.agent.models.entry import ModelEntry
from wakeful.agent.models.facts import UNKNOWN, ModelFacts


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "models.json"


@pytest.fixture
async def written(file: Path) -> Path:
    catalogue = Catalogue(
        [Source("llama", settings={"base_url": "http://a/v1", "api_key": "old"})], file, DEFAULT, clock=Clock()
    )
    await catalogue.refresh()
    return file


async def test_the_next_process_knows_the_list_and_asks_no_provider_while_it_is_fresh(written: Path) -> None:
    source = Source(settings={"base_url": "http://a/v1", "api_key": "new"})

    catalogue = Catalogue([source], written, DEFAULT, clock=Clock())

    assert not reading_starts_a_refresh(catalogue)
    assert ids(catalogue) == ["demo:wakeful", DEFAULT, "openai:llama"]


async def test_the_next_process_serves_an_old_list_while_it_asks(written: Path) -> None:
    source, clock = Source("qwen", settings={"base_url": "http://a/v1"}), Clock()
    clock.now += 601
    catalogue = Catalogue([source], written, DEFAULT, clock=clock)

    before = ids(catalogue)
    await catalogue.refresh()

    assert before == ["demo:wakeful", DEFAULT, "openai:llama"]
    assert ids(catalogue) == ["demo:wakeful", DEFAULT, "openai:qwen"]
    assert source.asked == 1


async def test_the_list_of_another_endpoint_is_not_told(written: Path) -> None:
    source = Source("qwen", settings={"base_url": "http://b/v1"})
    catalogue = Catalogue([source], written, DEFAULT, clock=Clock())

    before = ids(catalogue)
    await catalogue.refresh()

    assert before == ["demo:wakeful", DEFAULT]
    assert source.asked == 1


async def test_only_the_owner_can_read_it_and_no_draft_is_left(written: Path) -> None:
    assert written.stat().st_mode & 0o777 == 0o600
    assert os.listdir(written.parent) == [written.name]
    assert "old" not in written.read_text()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "\x00\xff",
        '{"version": 3, "providers": {}}',
        '{"version": 2, "providers": []}',
        '{"version": 2, "providers": {"openai": {"mark": "m", "at": 1, "models": [3]}}}',
        '{"version": 2, "providers": {"openai": {"mark": "m", "at": 1, "models": [{"name": "a"}]}}}',
        '{"version": 2, "providers": {"openai": {"mark": "m", "at": [], "models": []}}}',
        '{"version": 2, "providers": {"o": {"mark": "", "at": 1, "models": [{"name": "a", "created": 1e999}]}}}',
        "[" * 100_000,
    ],
)
async def test_a_broken_file_is_no_file_and_is_replaced(file: Path, content: str) -> None:
    file.write_bytes(content.encode("latin-1"))
    catalogue = Catalogue([Source("llama")], file, DEFAULT)

    before = ids(catalogue)
    await catalogue.refresh()

    assert before == ["demo:wakeful", DEFAULT]
    assert "llama" in file.read_text()


async def test_a_folder_that_cannot_be_written_costs_only_the_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    catalogue = Catalogue([Source("llama")], tmp_path / "gone" / "models.json", DEFAULT)

    await catalogue.refresh()

    assert "openai:llama" in ids(catalogue)
    assert "cannot save the list of models" in caplog.text


async def test_a_draft_that_cannot_replace_the_file_is_removed(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.mkdir()
    catalogue = Catalogue([Source("llama")], file, DEFAULT)

    await catalogue.refresh()

    assert os.listdir(file.parent) == [file.name]
    assert "cannot save the list of models" in caplog.text


async def test_the_next_process_knows_what_the_list_says_about_a_model(file: Path) -> None:
    source = Source("llama")
    source.facts = ModelFacts(context_window=8192, input_price=0.5, output_price=1.0)
    await Catalogue([source], file, DEFAULT, clock=Clock()).refresh()

    catalogue = Catalogue([Source()], file, DEFAULT, clock=Clock())

    assert catalogue.facts_of("openai:llama") == source.facts
    assert catalogue.facts_of("openai:qwen") == UNKNOWN
    assert catalogue.facts_of("elsewhere:llama") == UNKNOWN


def test_a_listing_is_read_back_as_it_was_written(file: Path) -> None:
    facts = ModelFacts(8_000, vision=False, input_price=0.0)
    entries = (
        ModelEntry.of("openai", "gpt", created=7, owned_by="makers", facts=facts),
        ModelEntry.of("openai", "bare"),
    )
    listings = {"openai": Listing("mark", 1.5, entries), "empty": Listing("other", 2.5, ())}

    CatalogueFile(file).write(listings)

    assert CatalogueFile(file).read() == listings
