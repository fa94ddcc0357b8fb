"""What single settings take, up to the last that they take, and the first that they do not."""

from pathlib import Path

import pytest

from wakeful.config import addresses, values
from wakeful.config.values import Unfit


@pytest.mark.parametrize(
    ("read", "fit", "unfit"),
    [
        (values.text, [" a "], ["", " ", "a\nb", 5, None]),
        (values.whole_number(0, 9), [0, 9, " 9 "], [-1, 10, 5.5, True, [1], "9" * 400, None]),
        (values.seconds(0.5, 9), [0.5, 9, "1e-0"], [0.4, 9.1, True, "nan", "inf", [1]]),
        (values.part(0.1, 0.95), [0.1, 0.95], [0.09, 0.96, "some", True]),
        (values.one_of("edit", "off"), [" OFF "], ["on", 5]),
        (values.yes_or_no, [True, False, 1, 0, "No"], ["", "maybe", 2]),
        (values.model, ["a:b", " a:b "], ["a", ":b", "a:", " :b", "a: ", 5]),
        (values.timezone, ["UTC"], ["Middle/Earth", "", 5]),
        (values.ids, ["1, 2", [1, "b"], "*"], ["1,,2", [""], [1.5], 5, None]),
        (values.secret, [" key "], ["", "a b", "é", "a\tb", 5]),
        (values.password, ["12345678", "        "], ["1234567", "1234567\n", 12345678]),
        (values.variable_names, ["A, B_1"], ["A,", "A-B", "É", [5], 5]),
        (addresses.database_url, [" postgres://db ", "postgresql://db"], ["mysql://db", "", 5]),
        (addresses.endpoint_url, ["http://model/v1"], ["model", "ftp://model", 5]),
        (addresses.web_url, ["https://a.example/api"], ["a.example", "ftp://a", "https://", "https://a?x", "http://a#x"]),
        (addresses.web_url, ["http://a"], ["http://[", "", 5]),
        (addresses.host_names, ["box.lan,::1"], ["box.lan:80", "a b", 5]),
        (addresses.origins, ["http://a:8000,https://b"], ["https://é", "http://a:80", "ftp://a", "https://", 5]),
    ],
)  # fmt: skip
def test_a_value_is_taken_or_refused(read: values.Read, fit: list[object], unfit: list[object]) -> None:
    assert [value for value in fit if not _fits(read, value)] == []
    assert [value for value in unfit if _fits(read, value)] == []


def _fits(read: values.Read, value: object) -> bool:
    try:
        read(value)
    except Unfit:
        return False
    return True


def test_values_are_read_without_what_surrounds_them() -> None:
    assert values.text(" a ") == "a"
    assert values.one_of("edit", "off")(" OFF ") == "off"
    assert values.model(" a:b ") == "a:b"
    assert values.ids(" 1 ,b") == values.ids([1, " b "]) == {"1", "b"}
    assert values.secret(" key ") == "key"
    assert values.password(" a secret ") == " a secret "
    assert values.variable_names(" A ,B") == ("A", "B")
    assert addresses.database_url(" postgres://db ") == "postgres://db"
    assert addresses.web_url(" https://a.example/api/ ") == "https://a.example/api"


@pytest.mark.parametrize(
    ("value", "is_yes"), [(True, True), (1, True), ("Yes", True), (False, False), (0, False), ("false", False)]
)
def test_yes_and_no_are_told_apart(value: object, is_yes: bool) -> None:
    assert values.yes_or_no(value) is is_yes


def test_a_folder_is_one_that_exists_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "file").touch()

    assert values.folder(str(inside)) == values.folder("~/inside") == inside
    assert values.folders(f"{inside}, {tmp_path}") == values.folders([str(inside), "~"]) == (inside, tmp_path)
    for unfit in ("inside", str(tmp_path / "file"), str(tmp_path / "none"), 5):
        with pytest.raises(Unfit, match="the absolute path of a folder"):
            values.folder(unfit)
        with pytest.raises(Unfit, match="absolute paths of folders"):
            values.folders([str(inside), unfit])
    with pytest.raises(Unfit, match="absolute paths of folders"):
        values.folders(5)


def test_a_key_has_a_name_of_64_characters_at_most_and_16_of_its_own_at_least() -> None:
    name, key = "a.b_c-" + "1" * 58, "k" * 16

    assert values.api_keys(f"{name}={key},") == values.api_keys({name: key}) == {name: key}
    for unfit in (f"{name}1={key}", f"{name}={key[1:]}", f"é={key}", f"-={key}", f"a b={key}", f"={key}"):
        with pytest.raises(Unfit):
            values.api_keys(unfit)


def test_every_webhook_has_to_fit() -> None:
    fit = {"url": "https://a.example/", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}

    assert len(values.webhooks([fit])) == 1
    for unfit in (5, [5], [fit, 5], [fit, fit | {"url": 5}], [fit | {"events": [5]}], [fit | {"owner": 5}]):
        with pytest.raises(Unfit, match="tables"):
            values.webhooks(unfit)
