"""Pictures that the model looks at with read_file."""

import os
from typing import BinaryIO

from wakeful.model.files.attachment import PICTURE_BYTES
from wakeful.model.files.file_type import Picture
from wakeful.tools.base import ToolPicture, ToolResult, Unusable


def picture_result(file: BinaryIO, picture: Picture, name: str) -> ToolResult:
    """Raises Unusable if models do not take the picture."""
    size = os.fstat(file.fileno()).st_size
    if size > PICTURE_BYTES:
        raise Unusable(f"{name} has {size:,} bytes, and {PICTURE_BYTES:,} is the most for a picture", "too_large")
    line = picture.line(name, size)
    if not picture.fits:
        return ToolResult(f"{line}\n[It has too many pixels to be shown to a model: make a smaller copy.]")
    file.seek(0)
    # It may have grown since.
    return ToolResult(line, pictures=(ToolPicture(os.path.basename(name), picture.type, file.read(PICTURE_BYTES)),))
