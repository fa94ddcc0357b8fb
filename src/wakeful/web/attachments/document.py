"""Describes the routes of attachments."""

from wakeful.web.attachments.routes import TakenIn, UploadQuery
from wakeful.wire.openapi import Family, json_answer, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

_BYTES: Json = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}

PATHS: dict[str, dict[str, Json]] = {
    "/api/attachments": {
        "post": operation(
            "uploadAttachment",
            "Upload a file for a message",
            {200: json_answer("It is taken in.", TakenIn), **refusals(400, 404, 413, 503)},
            words="The body is the file. A file that no message names within a day is dropped.",
            parameters=parameters(UploadQuery, "query"),
            body={"required": True, **_BYTES},
        ),
    },
    "/api/attachments/{id}": {
        "get": operation(
            "getAttachment",
            "Get the bytes of an attachment",
            {200: {"description": "The file. Only pictures are shown by browsers.", **_BYTES}, **refusals(404, 503)},
            parameters=[{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
        ),
    },
}

FAMILY = Family("Attachments", "Files that belong to messages.", PATHS)
