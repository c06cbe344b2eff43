"""The session: everything the operator has set, as one frozen value.

It is a recipe with the images it is for and the way they are shown.  A step of undo is then
nothing but the session before it, and saving writes the session as it is.  The chain is not
in here: it follows from the session, the seed and the journal.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.display import Display
from pmlda_gui.imagery.readers.options import ReadOptions
from pmlda_gui.imagery.readers.regular_files import require_usable_name
from pmlda_gui.workspace.hashing import file_digest, is_digest
from pmlda_gui.workspace.recipe import MOST_SEED, Recipe
from pmlda_gui.workspace.serialization import from_values, to_values
from pmlda_gui.workspace.shapes import Shape, check_shapes
from pmlda_gui.workspace.strokes import Stroke, check_strokes
from pmlda_gui.workspace.topic_look import (
    LONGEST_NAME,
    Colour,
    TopicLook,
    check_colour,
    check_name,
)
from pmlda_gui.workspace.topic_set import TopicSet

__all__ = [
    "Bookmark",
    "Colour",
    "ImageEntry",
    "OutlineLook",
    "Session",
    "TopicLook",
]

# Frozen, so all sessions may share them.
_DEFAULT_OPTIONS = ReadOptions()
_DEFAULT_DISPLAY = Display()
_DEEPEST_VIEW = 16


@dataclass(frozen=True)
class ImageEntry:
    """An image file, or a synthetic scene by its name, with how it is read.

    `digest` is the SHA-256 of the file when it was opened, empty if unknown.
    """

    path: Path | None = None
    digest: str = ""
    options: ReadOptions = _DEFAULT_OPTIONS
    scene: str | None = None

    def __post_init__(self) -> None:
        if (self.path is None) == (self.scene is None):
            raise PmldaError("An image is either a file or a synthetic scene: name one of the two.")
        if self.path is not None:
            require_usable_name(self.path)
        if self.digest and not is_digest(self.digest):
            raise PmldaError(f"The digest of {self.name} is not a SHA-256: open the image again.")

    @classmethod
    def of_file(
        cls,
        path: Path,
        options: ReadOptions = _DEFAULT_OPTIONS,
        progress: Progress = UNWATCHED,
    ) -> ImageEntry:
        """The entry of a file as it is now; reads the file once for its digest."""
        return cls(path, file_digest(path, progress), options)

    def with_paths(self, change: Callable[[Path], Path]) -> ImageEntry:
        """This entry with its path, and that of its gain table, changed."""
        if self.path is None:
            return self
        options, table = self.options, self.options.gain_table
        if table is not None:
            options = dataclasses.replace(options, gain_table=change(table))
        return dataclasses.replace(self, path=change(self.path), options=options)

    @property
    def name(self) -> str:
        """The file's or the scene's name, for titles and messages."""
        return self.path.name if self.path is not None else str(self.scene)


@dataclass(frozen=True)
class OutlineLook:
    """How the documents' outlines are drawn; `opacity` is 0 to 1."""

    shown: bool = True
    # No sonar image has this colour, whatever its brightness.
    colour: Colour = (255, 221, 51)
    opacity: float = 0.6

    def __post_init__(self) -> None:
        check_colour(self.colour, "the outlines")
        if not 0.0 <= self.opacity <= 1.0:
            raise PmldaError(f"The outlines' opacity is {self.opacity:g}, but must be 0 to 1.")


@dataclass(frozen=True)
class Bookmark:
    """A result worth coming back to: its settings, and the `key` of its stored arrays.

    `session` holds the settings, without bookmarks of its own.
    """

    name: str
    sweep: int
    key: str
    session: Session

    def __post_init__(self) -> None:
        check_name(self.name, "a bookmark")
        if not (self.key.isascii() and self.key.isalnum() and len(self.key) <= LONGEST_NAME):
            raise PmldaError(f"The key of bookmark {self.name!r} must be letters and digits.")
        if self.session.bookmarks:
            raise PmldaError(f"The settings of bookmark {self.name!r} hold bookmarks themselves.")


@dataclass(frozen=True)
class Session(Recipe):
    """What is open, how it is segmented, and how it is shown.

    `topics` stand in display order; a topic without a look has the default one.  `shapes`
    are the profiles, regions and measurements drawn on the images, which they name by number;
    see `with_images`.  `view` is whatever the window wants to find again: a tree of plain values.
    `restarts` counts how often the chain was restarted or taken back to a bookmark, so that each
    time is a step.  `given` are topics found elsewhere, whose words are those of the run.
    """

    images: tuple[ImageEntry, ...] = ()
    topics: tuple[TopicLook, ...] = ()
    display: Display = _DEFAULT_DISPLAY
    outlines: OutlineLook = OutlineLook()
    bookmarks: tuple[Bookmark, ...] = ()
    view: Mapping[str, Any] = field(default_factory=dict)
    restarts: int = 0
    shapes: tuple[Shape, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    given: TopicSet | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.restarts < MOST_SEED:
            raise PmldaError(f"The chain was restarted {self.restarts} times, which cannot be.")
        ids = [look.id for look in self.topics]
        if len(set(ids)) != len(ids):
            raise PmldaError("Two topics have the same number: give each its own.")
        keys = [bookmark.key for bookmark in self.bookmarks]
        if len(set(keys)) != len(keys):
            raise PmldaError("Two bookmarks share their stored result: give each its own key.")
        check_shapes(self.shapes)
        check_strokes(self.strokes)
        object.__setattr__(self, "view", _frozen(self.view, _DEEPEST_VIEW))

    def replace(self, **changes: Any) -> Session:
        """This session with some fields changed, checked again."""
        return dataclasses.replace(self, **changes)

    def with_images(self, images: tuple[ImageEntry, ...]) -> Session:
        """This session with other images; shapes and strokes follow theirs, or go with them."""
        places = {id(entry): number for number, entry in enumerate(images)}
        moved = [places.get(id(entry)) for entry in self.images]
        shapes, strokes = (
            tuple(
                dataclasses.replace(each, image=place)
                for each in drawn
                if each.image < len(moved) and (place := moved[each.image]) is not None
            )
            for drawn in (self.shapes, self.strokes)
        )
        return self.replace(images=images, shapes=shapes, strokes=strokes)

    def with_paths(self, change: Callable[[Path], Path]) -> Session:
        """This session, and those of its bookmarks, with every path changed."""
        return self.replace(
            images=tuple(entry.with_paths(change) for entry in self.images),
            label_file=None if self.label_file is None else change(self.label_file),
            bookmarks=tuple(
                dataclasses.replace(each, session=each.session.with_paths(change))
                for each in self.bookmarks
            ),
        )

    def to_values(self) -> dict[str, Any]:
        """The session as JSON can hold it."""
        values: dict[str, Any] = to_values(self)
        return values

    @classmethod
    def from_values(cls, values: Any) -> Session:
        """The session `to_values` gave, every value checked again."""
        _read_as_before(values)
        return from_values(cls, values, "The session")


def _read_as_before(values: Any, depth: int = 2) -> None:
    """Let images that were saved before pixels could be made square be read as then."""
    if not isinstance(values, dict) or depth == 0:
        return
    images, bookmarks = (
        each if isinstance(each, list) else []
        for each in (values.get("images"), values.get("bookmarks"))
    )
    for entry in images:
        options = entry.get("options") if isinstance(entry, dict) else None
        if isinstance(options, dict) and "correct_slant_range" in options:
            options.setdefault("square_pixels", False)
    for bookmark in bookmarks:
        if isinstance(bookmark, dict):
            _read_as_before(bookmark.get("session"), depth - 1)


def _frozen(value: Any, depth: int) -> Any:
    """A tree of plain values that can no longer be changed."""
    if depth == 0:
        raise PmldaError(f"The view state is nested more than {_DEEPEST_VIEW} deep.")
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise PmldaError("The view state has a name that is not text.")
        return MappingProxyType({key: _frozen(part, depth - 1) for key, part in value.items()})
    if isinstance(value, list | tuple):
        return tuple(_frozen(part, depth - 1) for part in value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise PmldaError(f"The view state holds {value!r:.60}, which is not a plain finite value.")
