"""What a client means by a model's name."""

from pathlib import Path

import pytest

from tests.unit.agent.models.catalogue_kit import DEFAULT, Source, ids
from wakeful.agent.models.catalogue import Catalogue


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        (None, DEFAULT),
        ("wakeful", DEFAULT),
        ("gpt-5", DEFAULT),
        (DEFAULT, DEFAULT),
        ("demo:wakeful", "demo:wakeful"),
        ("openai:not-in-the-list", "openai:not-in-the-list"),
        ("elsewhere:model", "elsewhere:model"),
        ("llama3.2:3b", "openai:llama3.2:3b"),
        ("qwen", "openai:qwen"),
        ("only-there", "other:only-there"),
        ("openai:llama3.2:3b", "openai:llama3.2:3b"),
        ("nobody", None),
        ("", None),
        (":", None),
        ("openai:", None),
        (":qwen", None),
    ],
)
async def test_names(tmp_path: Path, name: str | None, meant: str | None) -> None:
    sources = [Source("llama3.2:3b", "qwen"), Source("only-there", "qwen", "gpt-5", provider="other")]
    catalogue = Catalogue(sources, tmp_path / "models.json", DEFAULT)
    await catalogue.refresh()

    assert catalogue.resolve_name(name) == meant


async def test_resolving_a_name_asks_no_provider(tmp_path: Path) -> None:
    source = Source("qwen")
    catalogue = Catalogue([source], tmp_path / "models.json", DEFAULT)

    assert catalogue.resolve_name("qwen") is None
    assert catalogue.fingerprint()
    assert source.asked == 0


def test_the_fallback_models_are_known_without_a_list(tmp_path: Path) -> None:
    catalogue = Catalogue([], tmp_path / "models.json", DEFAULT, fallbacks=["local:qwen3:8b"])

    assert ids(catalogue) == ["demo:wakeful", "local:qwen3:8b", DEFAULT]
    assert catalogue.resolve_name("qwen3:8b") == "local:qwen3:8b"
