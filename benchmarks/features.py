"""How much faster our features are than the plain scikit-image and scipy composition.

Both compute the same values (the largest difference is printed) from the same made
image in the same run, taking turns, so that the ratio means something on a busy machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter
from scipy.signal import fftconvolve
from skimage.filters import gabor_kernel
from skimage.filters.rank import entropy

from pmlda_gui.imagery.features import PRESETS, compute_features, intensity_ranges
from pmlda_gui.imagery.features.entropy import intensity_levels
from pmlda_gui.imagery.features.gabor import ORIENTATIONS, WAVELENGTHS
from pmlda_gui.imagery.image import Image
from pmlda_gui.imagery.scenes import make_scene

__all__ = ["Row", "run"]

WINDOW = 21
TOLERANCE = 3e-3
"""Largest difference allowed, in the features' own units.

Waves of 3 pixels are so near the shortest there are that kernels sampled in space and
filters sampled in frequency differ by 2e-3.
"""


@dataclass(frozen=True)
class Row:
    """One comparison: seconds of the best of several turns, and how far the values differ."""

    name: str
    shape: tuple[int, int]
    ours: float
    plain: float
    difference: float

    @property
    def ratio(self) -> float:
        return self.plain / self.ours

    def __str__(self) -> str:
        height, width = self.shape
        return (
            f"{self.name:<12} {height} x {width}   ours {1000 * self.ours:7.1f} ms   "
            f"plain {1000 * self.plain:8.1f} ms   {self.ratio:5.1f} times faster   "
            f"largest difference {self.difference:.1e}"
        )


def _plain_mean(image: Image) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = uniform_filter(
        image.pixels.astype(np.float64), WINDOW, mode="reflect"
    )
    return mean


def _plain_deviation(image: Image) -> NDArray[np.float64]:
    pixels = image.pixels.astype(np.float64)
    squares = uniform_filter(pixels**2, WINDOW, mode="reflect")
    deviation: NDArray[np.float64] = np.sqrt(np.maximum(squares - _plain_mean(image) ** 2, 0))
    return deviation


def _plain_entropy(image: Image) -> NDArray[np.float64]:
    levels = intensity_levels(image.pixels.astype(np.float64), intensity_ranges([image])[0])
    half = WINDOW // 2
    padded = np.pad(levels.astype(np.uint8), half, mode="symmetric")
    bits: NDArray[np.float64] = entropy(padded, np.ones((WINDOW, WINDOW), np.uint8))
    return bits[half:-half, half:-half]


def _plain_waves(image: Image) -> dict[str, NDArray[np.float64]]:
    """The Gabor bank and its anisotropy, kernel by kernel."""
    pixels = image.pixels.astype(np.float64)
    margin = int(np.ceil(5 * 0.56 * max(WAVELENGTHS)))
    padded = np.pad(pixels - _plain_mean(image), margin, mode="symmetric")
    inside = (slice(margin, -margin), slice(margin, -margin))
    turned, together = np.zeros((2, *pixels.shape)), np.zeros(pixels.shape)
    roots = {}
    for wavelength in WAVELENGTHS:
        total = np.zeros(pixels.shape)
        for angle in np.arange(ORIENTATIONS) * np.pi / ORIENTATIONS:
            deviation = 0.56 * wavelength
            kernel = gabor_kernel(
                1 / wavelength, angle, sigma_x=deviation, sigma_y=deviation, n_stds=5
            )
            amplitude = 2 * np.abs(fftconvolve(padded, kernel, "same")[inside])
            total += amplitude
            turned[0] += np.cos(2 * angle) * amplitude
            turned[1] += np.sin(2 * angle) * amplitude
        typical = np.exp(uniform_filter(np.log(total / ORIENTATIONS), WINDOW, mode="reflect"))
        roots[f"gabor_{wavelength:.0f}"] = np.sqrt(typical)
        together += total
    length = np.hypot(*(uniform_filter(each / together, WINDOW, mode="reflect") for each in turned))
    return {**roots, "anisotropy": length}


_PLAIN: dict[str, Callable[[Image], NDArray[np.float64]]] = {
    "mean": _plain_mean,
    "std": _plain_deviation,
    "entropy": _plain_entropy,
}


def _compare(preset: str, image: Image, turns: int) -> Row:
    names = PRESETS[preset].features

    def ours() -> NDArray[np.float32]:
        return compute_features(image, preset, window=WINDOW).values

    def plain() -> NDArray[np.float64]:
        waves = _plain_waves(image) if set(names) - set(_PLAIN) else {}
        return np.stack(
            [waves[name] if name in waves else _PLAIN[name](image) for name in names], axis=-1
        )

    # The first call compiles, or loads what was compiled before.
    difference = float(np.abs(ours() - plain()).max())
    best = {ours: np.inf, plain: np.inf}
    for _ in range(turns):
        for function in best:
            start = time.perf_counter()
            function()
            best[function] = min(best[function], time.perf_counter() - start)
    return Row(preset, image.shape, best[ours], best[plain], difference)


def run(quick: bool = False) -> list[Row]:
    """Compare `paper-sas` and `seabed`; `quick` takes a smaller image and one turn."""
    image = make_scene("demo", (200, 180) if quick else (600, 544)).image
    return [_compare(preset, image, 1 if quick else 3) for preset in ("paper-sas", "seabed")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smaller image, one turn")
    rows = run(parser.parse_args().quick)
    for row in rows:
        print(row)
    return int(any(row.difference > TOLERANCE for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
