"""Markdown as the HTML that Telegram parses."""

import html
import re

from wakeful.gateway.messaging.text.markdown import rendered

_TAG = re.compile(r"<[^>]*>")
_SAFE_LINKS = ("http://", "https://", "mailto:", "tg://")


class _Html:
    def text(self, text: str) -> str:
        return html.escape(text, quote=False)

    def bold(self, inner: str) -> str:
        # A heading may be bold already, and Telegram refuses a tag inside of itself.
        return f"<b>{inner.replace('<b>', '').replace('</b>', '')}</b>"

    def italic(self, inner: str) -> str:
        return f"<i>{inner}</i>"

    def struck(self, inner: str) -> str:
        return f"<s>{inner}</s>"

    def code(self, text: str) -> str:
        return f"<code>{self.text(text)}</code>"

    def block(self, text: str, language: str) -> str:
        inner = self.text(text)
        if not language:
            return f"<pre>{inner}</pre>"
        return f'<pre><code class="language-{html.escape(language)}">{inner}</code></pre>'

    def link(self, inner: str, url: str) -> str:
        return f'<a href="{html.escape(url)}">{inner}</a>' if url.startswith(_SAFE_LINKS) else inner

    def quote(self, inner: str) -> str:
        # Telegram refuses a quote inside of a quote.
        flat = inner.replace("<blockquote>", "").replace("</blockquote>", "")
        return f"<blockquote>{flat}</blockquote>"


_MARKS = _Html()


def telegram_html(markdown: str) -> str:
    return rendered(markdown, _MARKS)


def parsed_text(markup: str) -> str:
    """Return the words that Telegram counts: those without tags, with each entity as the letter that it means."""
    return html.unescape(_TAG.sub("", markup))
