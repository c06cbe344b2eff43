"""GDAL, through rasterio, restricted to what is safe.

GDAL reads over a hundred formats, some of which fetch from a network or point at
other files.  It may use the one driver that the file calls for, looks at no file but
the one named and those that belong to it, and keeps its messages for us.
"""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.formats import raster_format
from pmlda_gui.imagery.readers.raster_formats import RasterFormat
from pmlda_gui.imagery.readers.sidecar_files import bytes_present, require_own_files

__all__ = ["opened", "quiet"]

MOST_BANDS = 4096
LARGEST_BLOCK_BYTES = 256 * 2**20
GDAL_SETTINGS = {
    "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
    "GDAL_PAM_ENABLED": "NO",
    "GDAL_CACHEMAX": 256,
    "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": ".none",
    "CPL_DEBUG": "OFF",
    # Its quick way to decode a PNG returns whatever was in memory where the file ends early.
    "GDAL_PNG_WHOLE_IMAGE_OPTIM": "NO",
}


class _Quiet:
    """Keeps quiet about GDAL messages that quote bytes of a damaged file.

    rasterio decodes them in a callback, whose failure Python can only print or hand to
    the hooks for errors nobody caught, where it would look like a crash of ours.  Hooks
    and warnings belong to the whole program, so they are changed when the first of
    several threads begins to read and put back when the last has ended.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers = 0
        self._undo = ExitStack()

    @contextmanager
    def __call__(self, ignored: type[Warning]) -> Iterator[None]:
        with self._lock:
            if self._readers == 0:
                self._undo.enter_context(warnings.catch_warnings())
                warnings.simplefilter("ignore", ignored)
                self._undo.enter_context(_undecodable_messages_dropped())
            self._readers += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers -= 1
                if self._readers == 0:
                    self._undo.close()


_QUIET = _Quiet()


def quiet() -> AbstractContextManager[None]:
    """No word about rasters without a place, in any thread that reads or writes them."""
    from rasterio.errors import NotGeoreferencedWarning

    return _QUIET(NotGeoreferencedWarning)


@contextmanager
def _undecodable_messages_dropped() -> Iterator[None]:
    excepthook, unraisablehook = sys.excepthook, sys.unraisablehook

    def on_exception(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        if not issubclass(kind, UnicodeDecodeError):
            excepthook(kind, error, traceback)

    def on_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
        if not isinstance(unraisable.exc_value, UnicodeDecodeError):
            unraisablehook(unraisable)

    sys.excepthook, sys.unraisablehook = on_exception, on_unraisable
    try:
        yield
    finally:
        # Hooks that somebody has set meanwhile are left alone.
        if sys.excepthook is on_exception:
            sys.excepthook = excepthook
        if sys.unraisablehook is on_unraisable:
            sys.unraisablehook = unraisablehook


@contextmanager
def opened(path: Path, layer: str | None = None) -> Iterator[Any]:
    """The file as a rasterio dataset whose claims its size does not contradict.

    `layer` is one of its `subdatasets`.  Without one, a file that holds several rasters
    by name gives a dataset without bands.
    """
    import rasterio

    found = raster_format(path)
    require_own_files(path, found)
    if layer is not None and str(path.absolute()) not in layer:
        raise PmldaError(f"{path.name} names a layer of another file, which is not opened.")
    # rasterio's log is for programmers; what matters reaches us as an exception.
    logging.getLogger("rasterio").setLevel(logging.CRITICAL)
    with quiet(), rasterio.Env(**_settings(found)) as environment:
        if found.driver not in environment.drivers():
            raise PmldaError(
                f"{path.name} is a {found.title} file, which the GDAL library of this installation "
                "cannot read; save it as a GeoTIFF."
            )
        with rasterio.open(
            layer or path.absolute(), driver=found.driver, **found.options
        ) as dataset:
            if layer is not None or not (found.layers and dataset.count == 0):
                _require_plausible(path, dataset, found)
            yield dataset


def _settings(found: RasterFormat) -> dict[str, Any]:
    """GDAL looks at the files that belong to a format, by their names, and at no folder."""
    return GDAL_SETTINGS | ({"GDAL_DISABLE_READDIR_ON_OPEN": "TRUE"} if found.beside else {})


def _require_plausible(path: Path, dataset: Any, found: RasterFormat) -> None:
    if dataset.count == 0 or dataset.width < 1 or dataset.height < 1:
        raise PmldaError(
            f"{path.name} holds no picture of its own; export the image inside it as a TIFF."
        )
    if dataset.count > MOST_BANDS:
        raise PmldaError(
            f"{path.name} holds {dataset.count} bands, more than {MOST_BANDS}; "
            "save those to look at in a file of their own."
        )
    item_bytes = max(_item_bytes(dtype) for dtype in dataset.dtypes)
    claimed = dataset.width * dataset.height * dataset.count * item_bytes
    size = bytes_present(path, found)
    if claimed > size * found.expansion:
        raise PmldaError(
            f"{path.name} claims {dataset.width} x {dataset.height} pixels but is only "
            f"{size} bytes long, so it is damaged or not what it says; save it again."
        )
    block_rows, block_columns = dataset.block_shapes[0]
    if block_rows * block_columns * item_bytes * dataset.count > LARGEST_BLOCK_BYTES:
        raise PmldaError(
            f"{path.name} is stored as one block of {block_columns} x {block_rows} pixels, too "
            "large to read in parts; save it with tiles."
        )


def _item_bytes(dtype: str) -> int:
    return 4 if dtype == "complex_int16" else np.dtype(dtype).itemsize
