"""Pictures that the model looks at with read_file."""

from pathlib import Path

from wakeful.model.files.attachment import PICTURE_BYTES
from wakeful.model.files.file_type import TYPE_BYTES, Picture, picture_in
from wakeful.tools.base import ToolPicture, ToolResult, Unusable


def picture_at(path: Path) -> Picture | None:
    """Return the type and size of a picture, by its first bytes; None if the file is none."""
    with path.open("rb") as file:
        return picture_in(file.read(TYPE_BYTES))


def picture_result(path: Path, picture: Picture, name: str) -> ToolResult:
    """Raises Unusable if models do not take the picture."""
    size = path.stat().st_size
    if size > PICTURE_BYTES:
        raise Unusable(f"{name} has {size:,} bytes, and {PICTURE_BYTES:,} is the most for a picture", "too_large")
    line = picture.line(name, size)
    if not picture.fits:
        return ToolResult(f"{line}\n[It has too many pixels to be shown to a model: make a smaller copy.]")
    with path.open("rb") as file:
        # It may have grown since.
        data = file.read(PICTURE_BYTES)
    return ToolResult(line, pictures=(ToolPicture(path.name, picture.type, data),))
