"""Arguments as models write them."""

from typing import Any

import pytest

from wakeful.tools.arguments import whole_number_in
from wakeful.tools.base import Unusable


@pytest.mark.parametrize(("value", "number"), [(None, None), (1, 1), (9, 9), ("7", 7)])
def test_a_whole_number_may_be_left_out_or_written_as_text(value: Any, number: int | None) -> None:
    assert whole_number_in({"limit": value}, "limit", most=9) == number


@pytest.mark.parametrize("value", [0, 10, -1, 1.5, True, "", "x", "10", "9" * 5_000, [1]])
def test_anything_else_is_refused_with_the_range(value: Any) -> None:
    with pytest.raises(Unusable, match="limit must be a whole number from 1 to 9"):
        whole_number_in({"limit": value}, "limit", most=9)
