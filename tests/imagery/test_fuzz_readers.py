"""Torn files, and damaged heads of real ones: only our own errors come out, quickly and cheaply.

Small damaged files of every kind are tried by the thousand in `tests/test_fuzz.py`.
The seeds are fixed, so a failure repeats itself.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks.fuzz_damage import damaged
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers import ReadOptions, open_image, probe
from tests.imagery.synthetic_files import REAL_DATA, synthetic_file_of_every_kind

resource = pytest.importorskip("resource", reason="memory is measured as Unix does")

KINDS = (
    "png",
    "jpg",
    "bmp",
    "tif",
    "tiles.tif",
    "ntf",
    "npy",
    "npz",
    "mat",
    "mat73",
    "xtf",
    "jsf",
    "sl2",
    "sl3",
    "son",
    "plain.mat",
)
CASES_PER_REAL_FILE = 60
REAL_HEAD_BYTES = 20_000
REAL_FILES = (
    "geotiff/backscatter_caris.tiff",
    "geotiff/river_mosaic_u8.tif",
    "paper/hf00.mat",
    "paper/sunset.jpg",
    "paper/sunset_superpixels.mat",
    "sas/sas_00.png",
    "xtf/river.xtf",
    "xtf/auv_16bit.xtf",
)
SECONDS_PER_CASE = 5.0
MEGABYTES_MORE = 700


def read_or_refuse(path: Path, options: ReadOptions) -> bool:
    """Whether the file opened; anything but an image or our own error fails the test."""
    image, refusals = None, []
    try:
        probe(path)
        image = open_image(path, options)
    except PmldaError as error:
        refusals.append(str(error))
    for refusal in refusals:
        assert refusal.endswith("."), refusal
        assert refusal.isprintable(), refusal
    if image is not None:
        assert np.isfinite(image.pixels).all()
        assert not image.pixels[~image.valid].any()
    return image is not None


def megabytes() -> float:
    """The most memory this process has held; the unit differs between systems."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        2**20 if sys.platform == "darwin" else 2**10
    )


def survive(content: bytes, path: Path, cases: int, seed: int) -> int:
    """Read damaged copies of a file, and return how many could still be opened."""
    rng = np.random.default_rng(seed)
    opened = 0
    path.write_bytes(content)
    read_or_refuse(path, ReadOptions())
    before = megabytes()
    for case in range(cases):
        path.write_bytes(damaged(content, rng))
        options = ReadOptions(
            reduce=1 + case % 2, correct_slant_range=case % 3 == 0, normalise_gain=case % 5 == 0
        )
        started = time.monotonic()
        opened += read_or_refuse(path, options)
        assert time.monotonic() - started < SECONDS_PER_CASE, f"case {case}"
    assert megabytes() - before < MEGABYTES_MORE
    return opened


@pytest.mark.skipif(not REAL_DATA.exists(), reason="the real imagery is not here")
@pytest.mark.parametrize("name", REAL_FILES)
def test_damaged_heads_of_real_files_are_read_or_refused(name, tmp_path):
    content = (REAL_DATA / name).read_bytes()[:REAL_HEAD_BYTES]
    path = tmp_path / f"damaged{Path(name).suffix}"
    survive(content, path, CASES_PER_REAL_FILE, len(KINDS) + REAL_FILES.index(name))


@pytest.mark.parametrize("kind", KINDS)
def test_files_cut_anywhere_are_read_or_refused(kind, tmp_path):
    content = synthetic_file_of_every_kind(tmp_path)[kind].read_bytes()
    path = tmp_path / f"cut.{kind}"
    for length in np.linspace(1, len(content) - 1, 60).astype(int):
        path.write_bytes(content[:length])
        read_or_refuse(path, ReadOptions())
