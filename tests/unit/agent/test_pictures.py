"""What a model gets of the pictures that a client of the API has sent."""

import pytest

from wakeful.agent.pictures import Illustrator
from wakeful.model.journal.message import Message, ToolMessage, UserMessage

URL = "https://example.org/cat.png"


@pytest.mark.parametrize("message", [UserMessage("Look!", (URL,)), ToolMessage("call_1", "Look!", images=(URL,))])
@pytest.mark.parametrize("sees", [True, False])
async def test_only_models_that_see_get_a_picture(message: UserMessage | ToolMessage, sees: bool) -> None:
    shown: list[Message] = await Illustrator(None).illustrated([message], "ses_1", sees=sees)

    (one,) = shown
    assert isinstance(one, UserMessage | ToolMessage)
    assert one.images == ((URL,) if sees else ())
    assert one.text.startswith("Look!")
    assert ("[This model cannot see pictures.]" in one.text) is not sees
