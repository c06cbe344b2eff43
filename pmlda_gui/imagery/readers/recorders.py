"""Detects which recorder made a file, and chooses its reader."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers.humminbird import index_humminbird, is_humminbird
from pmlda_gui.imagery.readers.jsf import JSF_SIGNATURE, index_jsf
from pmlda_gui.imagery.readers.lowrance import index_lowrance, is_lowrance
from pmlda_gui.imagery.readers.options import Task
from pmlda_gui.imagery.readers.recording_index import RecordingIndex
from pmlda_gui.imagery.readers.regular_files import open_regular
from pmlda_gui.imagery.readers.xtf import index_xtf

__all__ = ["FORMATS", "Recorder", "index_recording", "recorder_of"]

XTF_FIRST_BYTE = b"\x7b"
XTF_PACKET_SIGNATURE = b"\xce\xfa"
HEAD_BYTES = 1026


class Recorder(Enum):
    """A format of side-scan recordings."""

    XTF = "XTF"
    JSF = "JSF"
    LOWRANCE = "Lowrance"
    HUMMINBIRD = "Humminbird"


FORMATS = ("XTF", "JSF", "SL2", "SL3", "Humminbird")
"""What a probe calls the formats of recordings."""

READERS = {
    Recorder.XTF: index_xtf,
    Recorder.JSF: index_jsf,
    Recorder.LOWRANCE: index_lowrance,
    Recorder.HUMMINBIRD: index_humminbird,
}


def recorder_of(head: bytes, suffix: str) -> Recorder | None:
    """The recorder by the first HEAD_BYTES of a file, and by its ending where these are few."""
    if head.startswith(XTF_FIRST_BYTE) and (
        head[1024:1026] == XTF_PACKET_SIGNATURE or suffix.lower() == ".xtf"
    ):
        return Recorder.XTF
    if head.startswith(JSF_SIGNATURE):
        return Recorder.JSF
    if is_humminbird(head, suffix):
        return Recorder.HUMMINBIRD
    if is_lowrance(head, suffix):
        return Recorder.LOWRANCE
    return None


def index_recording(path: Path, task: Task) -> RecordingIndex:
    """Every ping of a recording without its samples."""
    with open_regular(path) as stream:
        recorder = recorder_of(stream.read(HEAD_BYTES), path.suffix)
    if recorder is None:
        raise PmldaError(f"{path.name} is not a side-scan recording that this program reads.")
    return READERS[recorder](path, task)
