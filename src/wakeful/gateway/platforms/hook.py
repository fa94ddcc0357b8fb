"""The adapter of hooks without a chat to deliver to: their turns run in sessions of their own, which the page shows."""

from wakeful.gateway.platforms.chat import ChatAdapter


class HookAdapter(ChatAdapter):
    name = "hook"
