"""Makes the words of people fit to be stored. PostgreSQL refuses NUL in a text, and half of a surrogate pair is no
UTF-8: a message with either would be refused by the store, and handed in again for ever.
"""

from dataclasses import replace

from wakeful.gateway.messaging.platform import IncomingMessage


def storable(message: IncomingMessage) -> IncomingMessage:
    sender = message.address.sender
    named = replace(sender, user_name=_whole(sender.user_name), chat_name=_whole(sender.chat_name))
    return replace(
        message,
        address=replace(message.address, sender=named),
        text=_whole(message.text),
        quoted=_whole(message.quoted),
        attachments=[replace(file, name=_whole(file.name)) for file in message.attachments],
    )


def _whole(text: str) -> str:
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
