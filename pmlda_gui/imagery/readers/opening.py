"""Opens any file: probes a path, and reads its image.

Parsers that we did not write meet files that strangers made.  Whatever they raise
ends here as one sentence that names the file; only our own errors leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pmlda_gui.core.errors import Cancelled, PmldaError
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.readers.bands import joined
from pmlda_gui.imagery.readers.folders import imagery_files
from pmlda_gui.imagery.readers.formats import Family, family_of
from pmlda_gui.imagery.readers.options import Probe, ReadOptions, Task, require_together
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

Progress = Callable[[float], None]
Cancel = Callable[[], bool]
DEFAULT_OPTIONS = ReadOptions()


def probe(path: str | Path, cancel: Cancel | None = None) -> Probe:
    """What a file is and what reading it will cost, without reading its pixels.

    Once `cancel` answers True it ends in `Cancelled`.
    """
    path = Path(path)
    with guarded(path):
        task = Task(path.name, cancel=cancel)
        family_of(path)
        found = probe_apart(path, task) if is_read_apart(path) else None
        return found or probe_here(path, task)


def probe_here(path: Path, task: Task) -> Probe:
    """Describe a file in this process."""
    with guarded(path):
        return _reader_for(family_of(path)).probe(path, task)


def open_image(
    path: str | Path,
    options: ReadOptions = DEFAULT_OPTIONS,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Image:
    """Open one file as an image.

    `progress` receives fractions from 0 to 1; once `cancel` answers True the reading
    ends in `Cancelled`.  The gain of a recording is evened out by itself; give several
    that belong together to `open_images`.
    """
    path = Path(path)
    with guarded(path):
        task = Task(path.name, progress, cancel)
        return _with_even_gain([_opened(path, options, task)], task)[0]


def open_images(
    paths: Iterable[str | Path],
    options: ReadOptions = DEFAULT_OPTIONS,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
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
    for position, path in enumerate(files):
        task = Task(path.name, progress, cancel).part(
            position / len(files), (position + 1) / len(files)
        )
        try:
            with guarded(path):
                image = _opened(path, options, task)
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
    return _with_even_gain(images, Task("the recordings", cancel=cancel))


def _with_even_gain(images: Sequence[Image], task: Task) -> tuple[Image, ...]:
    """The images, with the gain of recordings evened out together."""
    if all(image.swath is None for image in images):
        return tuple(images)
    from pmlda_gui.imagery.survey_gain import with_gain_of_survey

    return with_gain_of_survey(images, task.check)


def _opened(path: Path, options: ReadOptions, task: Task) -> Image:
    """A file as an image; what may abort this process is read by another."""
    family_of(path)
    image = open_apart(path, options, task) if is_read_apart(path) else None
    return image or open_here(path, options, task)


def open_here(path: Path, options: ReadOptions, task: Task) -> Image:
    """What the options ask for, read in this process.

    That is what the file shows, one band, or several as one image.
    """
    with guarded(path):
        return _open_bands(path, options, task)


def _open_bands(path: Path, options: ReadOptions, task: Task) -> Image:
    read = _reader_for(family_of(path)).open
    if not options.bands:
        return read(path, options, task)
    count = len(options.bands)
    return joined(
        [
            read(
                path,
                replace(options, band=band, bands=()),
                task.part(place / count, (place + 1) / count),
            )
            for place, band in enumerate(options.bands)
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
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Recording:
    """The raw channels and the ping-wise navigation of a side-scan recording."""
    from pmlda_gui.imagery.readers import recording

    path = Path(path)
    with guarded(path):
        if family_of(path) is not Family.RECORDING:
            raise PmldaError(f"{path.name} is not a side-scan recording; choose one.")
        return recording.read_recording(path, options, Task(path.name, progress, cancel))


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """SweepContext whatever goes wrong while reading `path` into a sentence about it."""
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
    probe: Callable[[Path, Task], Probe]
    open: Callable[[Path, ReadOptions, Task], Image]


def _reader_for(family: Family) -> _Reader:
    """The reader of a family; its libraries are imported only now."""
    match family:
        case Family.RASTER:
            from pmlda_gui.imagery.readers import raster

            return _Reader(raster.probe_raster, raster.open_raster)
        case Family.MAT5:
            from pmlda_gui.imagery.readers import mat5

            return _Reader(mat5.probe_mat5, mat5.open_mat5)
        case Family.HDF5:
            from pmlda_gui.imagery.readers import mat73

            return _Reader(mat73.probe_hdf5, mat73.open_hdf5)
        case Family.NPY:
            from pmlda_gui.imagery.readers import numpy_files

            return _Reader(numpy_files.probe_npy, numpy_files.open_npy)
        case Family.NPZ:
            from pmlda_gui.imagery.readers import numpy_files

            return _Reader(numpy_files.probe_npz, numpy_files.open_npz)
        case Family.RECORDING:
            from pmlda_gui.imagery.readers import waterfall

            return _Reader(waterfall.probe_waterfall, waterfall.open_waterfall)


def _first_line(error: Exception) -> str:
    """The start of a library's first complaint, made fit for the inside of a sentence."""
    while error.__cause__ is not None and isinstance(error.__cause__, Exception):
        error = error.__cause__
    lines = str(error).strip().splitlines()
    text = "".join(character for character in lines[0] if character.isprintable()) if lines else ""
    return text[:120].rstrip(". ") or type(error).__name__
