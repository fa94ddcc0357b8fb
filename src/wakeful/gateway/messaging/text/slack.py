"""Markdown as Slack's mrkdwn."""

from wakeful.gateway.messaging.text.markdown import rendered

_SAFE_LINKS = ("http://", "https://", "mailto:")


class _Mrkdwn:
    def text(self, text: str) -> str:
        """Escaped, `<!channel>` and the like are words like any others."""
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    def bold(self, inner: str) -> str:
        return f"*{inner.replace('*', '')}*"

    def italic(self, inner: str) -> str:
        return f"_{inner}_"

    def struck(self, inner: str) -> str:
        return f"~{inner}~"

    def code(self, text: str) -> str:
        return f"`{self.text(text)}`"

    def block(self, text: str, language: str) -> str:
        """Slack shows no language."""
        return f"```\n{self.text(text)}\n```"

    def link(self, inner: str, url: str) -> str:
        if not url.startswith(_SAFE_LINKS):
            return inner
        address = self.text(url).replace("|", "%7C")
        return f"<{address}>" if inner == self.text(url) else f"<{address}|{inner}>"

    def quote(self, inner: str) -> str:
        return "\n".join(f"> {line}" for line in inner.split("\n"))


_MARKS = _Mrkdwn()


def slack_text(markdown: str) -> str:
    return rendered(markdown, _MARKS)
