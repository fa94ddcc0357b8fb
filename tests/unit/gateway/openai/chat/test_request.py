"""What a client is told about a chat that the server cannot answer as asked."""

from typing import Any

import pytest

from wakeful.gateway.openai.chat.request import read_chat_request
from wakeful.wire.errors import InvalidRequest


@pytest.mark.parametrize("modalities", ["text", ["text", "audio"], [None]])
def test_other_modalities_than_text_are_refused_with_the_list_to_send(modalities: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_chat_request({"messages": [{"role": "user", "content": "x"}], "modalities": modalities}, frozenset())

    assert str(refused.value) == 'modalities must be ["text"]: the server makes no audio.'
