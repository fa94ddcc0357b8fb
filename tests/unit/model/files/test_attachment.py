"""The name under which an attachment is kept."""

import pytest

from wakeful.model.files.attachment import safe_name


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\report.pdf", "report.pdf"),
        ("invoice\u202egnp.exe", "invoice_gnp.exe"),
        ("a\nb", "a_b"),
        (" .hidden. ", "hidden"),
        ("..", "file"),
        ("folder/", "file"),
        ("", "file"),
    ],
)
def test_a_name_has_no_path_and_nothing_invisible(given: str, kept: str) -> None:
    assert safe_name(given) == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 100),
        ("x" * 200 + ".pdf", "x" * 96 + ".pdf"),
        ("x" * 100 + "." + "y" * 19, "x" * 80 + "." + "y" * 19),
        ("x" * 90 + "." + "y" * 20, "x" * 90 + "." + "y" * 9),
        # A file system counts bytes.
        ("ü" * 95 + ".pdf", "ü" * 88 + ".pdf"),
        ("ü" * 90, "ü" * 90),
    ],
)
def test_a_long_name_keeps_its_ending(given: str, kept: str) -> None:
    assert safe_name(given) == kept
