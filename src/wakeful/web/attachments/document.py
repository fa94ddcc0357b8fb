"""Describes the routes of attachments."""

from wakeful.model.files.file_type import PICTURE_TYPES
from wakeful.web.attachments.routes import AttachmentPath, TakenIn, UploadQuery
from wakeful.wire.openapi import Family, json_answer, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

_BYTES: Json = {"schema": {"type": "string", "format": "binary"}}
_FILE: Json = {
    "description": "The file. Browsers show pictures, and save everything else.",
    "content": dict.fromkeys(("application/octet-stream", *PICTURE_TYPES), _BYTES),
}

PATHS: dict[str, dict[str, Json]] = {
    "/api/attachments": {
        "post": operation(
            "uploadAttachment",
            "Upload a file for a message",
            {200: json_answer("It is taken in.", TakenIn), **refusals(400, 404, 413, 503)},
            words="The body is the file. A file that no message names within a day is dropped.",
            parameters=parameters(UploadQuery, "query"),
            body={"required": False, "content": {"application/octet-stream": _BYTES}},
        ),
    },
    "/api/attachments/{id}": {
        "get": operation(
            "getAttachment",
            "Get the bytes of an attachment",
            {200: _FILE, **refusals(400, 404, 503)},
            parameters=parameters(AttachmentPath, "path"),
        ),
    },
}

FAMILY = Family("Attachments", "Files that belong to messages.", PATHS)
