"""Each test makes what is otherwise made once for all, so that it fails if that is made wrong."""

import pytest

from wakeful.web.html import highlight, markdown, mathematics, step_html


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    for kept in (markdown._parser, markdown._cleaner, mathematics.mathml, highlight._class_of, step_html._whole):
        kept.cache_clear()
