"""Thousands of damaged files: nothing but our own errors comes out, quickly and cheaply.

Small sound files of every kind, and the beginnings of real ones where they are at
hand, are damaged in ways files really are and in ways an attacker would choose.
The seeds are fixed, so a failure repeats itself.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest
from made_files import REAL_DATA, made_file_of_every_kind

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.readers import ReadOptions, open_image, probe

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
    "plain.mat",
)
CASES_PER_KIND = 500
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
# Numbers that break careless size arithmetic, little and big endian.
NASTY_NUMBERS = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
SECONDS_PER_CASE = 5.0
MEGABYTES_MORE = 700


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """One to three kinds of damage, more often near the head, where sizes are."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        if not data:
            break
        reach = len(data) if rng.random() < 0.5 else min(len(data), 600)
        place = int(rng.integers(reach))
        match rng.integers(7):
            case 0:
                data[place] ^= 1 << int(rng.integers(8))
            case 1:
                data[place] = int(rng.integers(256))
            case 2:
                number = NASTY_NUMBERS[rng.integers(len(NASTY_NUMBERS))]
                order = "little" if rng.random() < 0.7 else "big"
                data[place : place + 4] = number.to_bytes(4, order)
            case 3:
                del data[place:]
            case 4:
                del data[place : place + int(rng.integers(1, 40))]
            case 5:
                data[place:place] = rng.bytes(int(rng.integers(1, 40)))
            case _:
                source = int(rng.integers(len(data)))
                data[place : place + 32] = data[source : source + 32]
    return bytes(data)


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


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_made_files_are_read_or_refused(kind, tmp_path):
    content = made_file_of_every_kind(tmp_path)[kind].read_bytes()
    opened = survive(content, tmp_path / f"damaged.{kind}", CASES_PER_KIND, KINDS.index(kind))
    assert 0 < opened < CASES_PER_KIND, "the damage is neither harmless nor always fatal"


@pytest.mark.skipif(not REAL_DATA.exists(), reason="the real imagery is not here")
@pytest.mark.parametrize("name", REAL_FILES)
def test_damaged_heads_of_real_files_are_read_or_refused(name, tmp_path):
    content = (REAL_DATA / name).read_bytes()[:REAL_HEAD_BYTES]
    path = tmp_path / f"damaged{Path(name).suffix}"
    survive(content, path, CASES_PER_REAL_FILE, len(KINDS) + REAL_FILES.index(name))


@pytest.mark.parametrize("kind", KINDS)
def test_files_cut_anywhere_are_read_or_refused(kind, tmp_path):
    content = made_file_of_every_kind(tmp_path)[kind].read_bytes()
    path = tmp_path / f"cut.{kind}"
    for length in np.linspace(1, len(content) - 1, 60).astype(int):
        path.write_bytes(content[:length])
        read_or_refuse(path, ReadOptions())
