"""Readers: one function from a path to an `Image`, whatever the file is.

`probe` tells what reading will cost, `open_image` reads one file, `open_images`
files and folders as one corpus.  Importing this package is light; libraries are
loaded by the first file that needs them.
"""

from pmlda_gui.imagery.readers.bands import band_list
from pmlda_gui.imagery.readers.labels import OfferedDocuments, offered_documents, read_label_map
from pmlda_gui.imagery.readers.opening import (
    open_image,
    open_images,
    probe,
    read_recording,
    require_opened,
)
from pmlda_gui.imagery.readers.options import Band, Probe, ReadOptions

__all__ = [
    "Band",
    "OfferedDocuments",
    "Probe",
    "ReadOptions",
    "band_list",
    "offered_documents",
    "open_image",
    "open_images",
    "probe",
    "read_label_map",
    "read_recording",
    "require_opened",
]
