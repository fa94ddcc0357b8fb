"""Renders the OpenAPI document as an HTML page with one style sheet and no script."""

from html import escape
from typing import Any

from wakeful.gateway.document.schema_text import prose, schema_html
from wakeful.wire.schema import Json

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav><b>{title}</b>{links}<a href="#schemas">Schemas</a><a href="/openapi.json">openapi.json</a></nav>
<main><h1>{title} <small>{version}</small></h1>{words}{sections}
<section id="schemas"><h2>Schemas</h2>{schemas}</section></main>
</body>
</html>
"""


def render_page(document: dict[str, Any]) -> str:
    info, tags = document["info"], document["tags"]
    return _PAGE.format(
        title=escape(info["title"]),
        version=escape(info["version"]),
        words=prose(info["description"]),
        links="".join(f'<a href="#{_anchor(tag["name"])}">{escape(tag["name"])}</a>' for tag in tags),
        sections="".join(_section(document, tag) for tag in tags),
        schemas="".join(_schema(name, schema) for name, schema in document["components"]["schemas"].items()),
    )


def _section(document: dict[str, Any], tag: Json) -> str:
    operations = [
        _operation(method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if tag["name"] in operation["tags"]
    ]
    heading = f"<h2>{escape(tag['name'])}</h2>{prose(tag['description'])}"
    return f'<section id="{_anchor(tag["name"])}">{heading}{"".join(operations)}</section>'


def _operation(method: str, path: str, operation: Json) -> str:
    summary = f"<span>{escape(operation['summary'])}</span>"
    head = f'<b class="{method}">{method.upper()}</b> <code>{escape(path)}</code> {summary}'
    answers = "".join(_answer(status, answer) for status, answer in operation["responses"].items())
    parts = [prose(operation.get("description", "")), _parameters(operation.get("parameters", ())), _body(operation)]
    parts.append(f"<h3>Answers</h3><dl>{answers}</dl>")
    anchor = escape(operation["operationId"])
    return f'<details id="{anchor}"><summary>{head}</summary><div>{"".join(parts)}</div></details>'


def _parameters(parameters: Any) -> str:
    rows = "".join(
        f"<dt><code>{escape(one['name'])}</code> <small>in the {escape(one['in'])}</small></dt>"
        f"<dd>{schema_html(one['schema'])}{prose(one['description'])}</dd>"
        for one in parameters
    )
    return f"<h3>Parameters</h3><dl>{rows}</dl>" if rows else ""


def _body(operation: Json) -> str:
    if "requestBody" not in operation:
        return ""
    return f"<h3>Body</h3>{_content(operation['requestBody']['content'])}"


def _answer(status: str, answer: Json) -> str:
    headers = [f"<code>{escape(name)}</code>" for name in answer["headers"] if name != "x-request-id"]
    named = f" <small>with {', '.join(headers)}</small>" if headers else ""
    words = prose(answer["description"])
    return f"<dt><code>{escape(status)}</code>{named}</dt><dd>{words}{_content(answer.get('content', {}))}</dd>"


def _content(content: Json) -> str:
    return "".join(_media(kind, media) for kind, media in content.items())


def _media(kind: str, media: Json) -> str:
    each = " of events, each" if kind == "text/event-stream" else ""
    return f'<div class="media"><small>{escape(kind)}</small>{each} {schema_html(media["schema"])}</div>'


def _schema(name: str, schema: Json) -> str:
    words = prose(schema.get("description", ""))
    return f'<article id="{escape(name)}"><h3>{escape(name)}</h3>{words}{schema_html(schema)}</article>'


def _anchor(name: str) -> str:
    return escape(name.lower().replace(" ", "-"))
