"""Opens any file: probes a path, and reads its image.

Parsers that we did not write meet files that strangers made.  Whatever they raise
ends here as one sentence that names the file; only our own errors leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.core.progress import UNWATCHED, Progress
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.bands import joined
from pmlda_gui.imagery.readers.folders import imagery_files
from pmlda_gui.imagery.readers.formats import Family, family_of
from pmlda_gui.imagery.readers.options import Probe, ReadOptions, require_together
from pmlda_gui.imagery.readers.reader_process import is_read_apart, open_apart, probe_apart

if TYPE_CHECKING:
    from pmlda_gui.imagery.readers.recording import Recording

__all__ = [
    "guarded",
    "open_here",
    "open_image",
    "open_images",
    "probe",
    "probe_here",
    "read_recording",
    "require_opened",
]

DEFAULT_OPTIONS = ReadOptions()


def probe(path: str | Path, progress: Progress = UNWATCHED) -> Probe:
    """What a file is and what reading it will cost, without reading its pixels."""
    path = Path(path)
    with guarded(path):
        progress = _reading(path, progress)
        family_of(path)
        found = probe_apart(path, progress) if is_read_apart(path) else None
        return found or probe_here(path, progress)


def probe_here(path: Path, progress: Progress) -> Probe:
    """Describe a file in this process."""
    with guarded(path):
        return _reader_for(family_of(path)).probe(path, progress)


def open_image(
    path: str | Path,
    options: ReadOptions = DEFAULT_OPTIONS,
    progress: Progress = UNWATCHED,
) -> Image:
    """Open one file as an image.

    The gain of a recording is evened out by itself; give several that belong together to
    `open_images`.
    """
    path = Path(path)
    with guarded(path):
        progress = _reading(path, progress)
        return _with_even_gain([_opened(path, options, progress)], progress)[0]


def open_images(
    paths: Iterable[str | Path],
    options: ReadOptions = DEFAULT_OPTIONS,
    progress: Progress = UNWATCHED,
    refused: list[PmldaError] | None = None,
) -> tuple[Image, ...]:
    """Open files and the imagery in folders as one corpus, in a stable order.

    The limit of the options holds for all images together, and the gain of recordings is
    measured in all of them.  A file that cannot be
    read ends the opening, unless there is a list of `refused` for its error: then the
    others are opened, which may be none.
    """
    files = imagery_files(paths, refused)
    images: list[Image] = []
    pixels = 0
    for path, part in zip(files, progress.parts(len(files)), strict=True):
        try:
            with guarded(path):
                image = _opened(path, options, _reading(path, part))
        except Cancelled:
            raise
        except PmldaError as error:
            if refused is None:
                raise
            refused.append(error)
            continue
        images.append(image)
        pixels += image.valid.size
        require_together(path.name, pixels, options)
    return _with_even_gain(images, progress.named("Reading the recordings"))


def _with_even_gain(images: Sequence[Image], progress: Progress) -> tuple[Image, ...]:
    """The images, with the gain of recordings evened out together."""
    if all(image.swath is None for image in images):
        return tuple(images)
    from pmlda_gui.imagery.survey_gain import with_gain_of_survey

    return with_gain_of_survey(images, progress.check)


def _opened(path: Path, options: ReadOptions, progress: Progress) -> Image:
    """A file as an image; what may abort this process is read by another."""
    family_of(path)
    image = open_apart(path, options, progress) if is_read_apart(path) else None
    return image or open_here(path, options, progress)


def open_here(path: Path, options: ReadOptions, progress: Progress) -> Image:
    """What the options ask for, read in this process.

    That is what the file shows, one band, or several as one image.
    """
    with guarded(path):
        return _open_bands(path, options, progress)


def _open_bands(path: Path, options: ReadOptions, progress: Progress) -> Image:
    read = _reader_for(family_of(path)).open
    if not options.bands:
        return read(path, options, progress)
    parts = progress.parts(len(options.bands))
    return joined(
        [
            read(path, replace(options, band=band, bands=()), part)
            for band, part in zip(options.bands, parts, strict=True)
        ]
    )


def require_opened(opened: Sized, refused: Sequence[PmldaError]) -> None:
    """Raise why nothing was opened: the reason of the only file, or the first of many."""
    if opened or not refused:
        return
    if len(refused) == 1:
        raise refused[0]
    raise PmldaError(f"None of the {len(refused)} files can be opened.  The first: {refused[0]}")


def read_recording(
    path: str | Path,
    options: ReadOptions = DEFAULT_OPTIONS,
    progress: Progress = UNWATCHED,
) -> Recording:
    """The raw channels and the ping-wise navigation of a side-scan recording."""
    from pmlda_gui.imagery.readers import recording

    path = Path(path)
    with guarded(path):
        if family_of(path) is not Family.RECORDING:
            raise PmldaError(f"{path.name} is not a side-scan recording; choose one.")
        return recording.read_recording(path, options, _reading(path, progress))


def _reading(path: Path, progress: Progress) -> Progress:
    """The progress of reading a file, which is named if the reading is stopped."""
    return progress.named(f"Reading {path.name}", "; open it again to start over")


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong while reading `path` into a sentence about it."""
    try:
        # Damaged numbers overflow; what they become is masked, not warned about.
        with np.errstate(all="ignore"):
            yield
    except PmldaError:
        raise
    except MemoryError as error:
        raise PmldaError(
            f"{path.name} needs more memory than this computer has free; read it reduced."
        ) from error
    except PermissionError as error:
        raise PmldaError(
            f"{path.name} may not be read by this user; change its permissions or copy it."
        ) from error
    except Exception as error:
        raise PmldaError(
            f"{path.name} cannot be read because it is damaged, cut short or of an unusual kind "
            f"({_first_line(error)}); save or copy it again."
        ) from error


class _Reader(NamedTuple):
    probe: Callable[[Path, Progress], Probe]
    open: Callable[[Path, ReadOptions, Progress], Image]


_READERS = {
    Family.RASTER: ("raster", "probe_raster", "open_raster"),
    Family.MAT5: ("mat5", "probe_mat5", "open_mat5"),
    Family.HDF5: ("mat73", "probe_hdf5", "open_hdf5"),
    Family.NPY: ("numpy_files", "probe_npy", "open_npy"),
    Family.NPZ: ("numpy_files", "probe_npz", "open_npz"),
    Family.RECORDING: ("waterfall", "probe_waterfall", "open_waterfall"),
}
"""The module that reads each family, and its two functions; see `_Reader`."""


def _reader_for(family: Family) -> _Reader:
    """The reader of a family; its libraries are imported only now."""
    module, probe_name, open_name = _READERS[family]
    reader = import_module(f"pmlda_gui.imagery.readers.{module}")
    return _Reader(getattr(reader, probe_name), getattr(reader, open_name))


def _first_line(error: Exception) -> str:
    """The start of a library's first complaint, made fit for the inside of a sentence."""
    while error.__cause__ is not None and isinstance(error.__cause__, Exception):
        error = error.__cause__
    lines = str(error).strip().splitlines()
    text = "".join(character for character in lines[0] if character.isprintable()) if lines else ""
    return text[:120].rstrip(". ") or type(error).__name__
