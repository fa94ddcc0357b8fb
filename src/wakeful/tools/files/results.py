"""The results of file tools: a text, or a failure that names only the path that the model wrote."""

import asyncio
import errno
from collections.abc import Callable, Mapping
from typing import Any

from wakeful.tools.base import ToolContext, ToolResult, Unusable
from wakeful.tools.files.workspace import Folders

Act = Callable[[Mapping[str, Any], ToolContext, Folders], str | ToolResult]

_OS_FAILURES = {
    errno.ENOENT: ("not_found", "was not found"),
    errno.ENOTDIR: ("not_a_folder", "is not a folder"),
    errno.EISDIR: ("not_a_file", "is not a file"),
    # A socket.
    errno.ENXIO: ("not_a_file", "is not a file"),
    # It was no link when the path was looked up.
    errno.ELOOP: ("outside", "has become a link, which may lead out of the workspace"),
    errno.ENAMETOOLONG: ("invalid_arguments", "is too long a name"),
}


async def result_of(act: Act, arguments: Mapping[str, Any], context: ToolContext, folders: Folders) -> ToolResult:
    try:
        answer = await asyncio.to_thread(act, arguments, context, folders)
    except (Unusable, OSError) as error:
        return file_failure(error, arguments)
    return answer if isinstance(answer, ToolResult) else ToolResult(answer)


def file_failure(error: Unusable | OSError, arguments: Mapping[str, Any]) -> ToolResult:
    if isinstance(error, Unusable):
        return ToolResult.failed(error.code, f"{error}.", **error.fields)
    # Not str(error), which names the absolute path.
    code, words = _OS_FAILURES.get(error.errno or 0, ("tool_error", ""))
    words = words or f"cannot be used: {(error.strerror or 'unknown error').lower()}"
    return ToolResult.failed(code, f"{arguments.get('path', '.')} {words}.")
