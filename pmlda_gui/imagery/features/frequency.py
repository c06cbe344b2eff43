"""Filtering in the frequency plane with Gaussians, at every pixel or every few.

What a filter for long waves lets pass holds no short ones, so its result is known from
every second, fourth or eighth pixel: the rest of the frequencies is left out, which makes
the transform back as much smaller.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.thread_pool import available_threads
from pmlda_gui.imagery.features.windows import reflected

__all__ = ["FrequencyPlane"]

Frequencies = tuple[NDArray[np.complex64], NDArray[np.float32], NDArray[np.float32]]


class FrequencyPlane:
    """An image's frequencies, the image continued by `margin` pixels as in mirrors.

    Steps of pixels may be powers of two up to `coarsest`.
    """

    def __init__(self, values: NDArray[np.float64], margin: int, coarsest: int) -> None:
        from scipy import fft

        self._shape, self._margin = values.shape, margin
        padded = tuple(
            coarsest * int(fft.next_fast_len(-(-(side + 2 * margin) // coarsest)))
            for side in values.shape
        )
        self._all: NDArray[np.complex64] = fft.fft2(
            reflected(values, margin).astype(np.float32), padded
        )
        self._frequencies = cache(self._lowest)

    def result_shape(self, step: int) -> tuple[int, int]:
        """The shape of results for every `step`-th pixel; these keep the margin unless it is 1."""
        if step == 1:
            return self._shape[0], self._shape[1]
        return self._all.shape[0] // step, self._all.shape[1] // step

    def magnitude(
        self, centre: tuple[float, float], deviation: float, step: int
    ) -> NDArray[np.float32]:
        """Magnitude of the image seen through a Gaussian of `deviation` pixels, moved to `centre`.

        `centre` is in cycles per pixel, down and across.
        """
        from scipy import fft

        transformed, down, across = self._frequencies(step)
        scale = np.float32(-2 * (np.pi * deviation) ** 2)
        # A Gaussian is the product of one along each axis: two rows of exponentials do.
        response: NDArray[np.float32] = np.exp(
            scale * (down - np.float32(centre[0])) ** 2
        ) * np.exp(scale * (across - np.float32(centre[1])) ** 2)
        result: NDArray[np.complex64] = fft.ifft2(
            transformed * response, overwrite_x=True, workers=available_threads()
        )
        if step > 1:
            return np.abs(result)
        margin, (height, width) = self._margin, self._shape
        return np.abs(result[margin : margin + height, margin : margin + width])

    def enlarged(self, values: NDArray[np.float32], step: int) -> NDArray[np.float32]:
        """A result for every `step`-th pixel as one for every pixel, without the margin."""
        from pmlda_gui.imagery.features.kernels import interpolated

        height, width = self._shape
        between: NDArray[np.float32] = interpolated(values, step, self._margin, height, width)
        return between

    def _lowest(self, step: int) -> Frequencies:
        """The frequencies that every `step`-th pixel can show, and what they are."""
        from scipy import fft

        down, across = (fft.fftfreq(side).astype(np.float32) for side in self._all.shape)
        if step == 1:
            return self._all, down[:, None], across[None, :]
        rows, columns = (_lowest_of(side, step) for side in self._all.shape)
        # Fewer values share what the transform back divides by their number.
        kept = self._all[np.ix_(rows, columns)] / np.float32(step * step)
        return kept, down[rows][:, None], across[columns][None, :]


def _lowest_of(side: int, step: int) -> NDArray[np.int64]:
    """Where the lowest frequencies stand among `side`, in their order."""
    count = side // step
    return np.concatenate([np.arange((count + 1) // 2), np.arange(side - count // 2, side)])
