"""The compiled inner loops of the features; each releases the interpreter lock.

All take arrays that are already padded by reflection, so that no loop has to
think about edges, and all skip what is not valid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel

__all__ = ["block_contrast", "box_sums", "interpolated", "window_entropy"]


@kernel
def box_sums(padded: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Sums over every `size` x `size` box that fits into `padded`, by running sums."""
    rows = padded.shape[0] - size + 1
    columns = padded.shape[1] - size + 1
    sums = np.empty((rows, columns))
    column_sums = np.zeros(padded.shape[1])
    for row in range(size - 1):
        column_sums += padded[row]
    for row in range(rows):
        column_sums += padded[row + size - 1]
        total = 0.0
        for column in range(size):
            total += column_sums[column]
        sums[row, 0] = total
        for column in range(1, columns):
            total += column_sums[column + size - 1] - column_sums[column - 1]
            sums[row, column] = total
        column_sums -= padded[row]
    return sums


@kernel
def interpolated(
    values: NDArray[np.float32], step: int, margin: int, height: int, width: int
) -> NDArray[np.float32]:
    """Values of every `step`-th pixel, linearly between them, at (height, width) pixels.

    The first of these pixels lies `margin` rows and columns after the first value.
    """
    result = np.empty((height, width), np.float32)
    last_row, last_column = values.shape[0] - 1, values.shape[1] - 1
    line = np.empty(values.shape[1], np.float32)
    for row in range(height):
        above = (row + margin) // step
        below = min(above + 1, last_row)
        lower = np.float32((row + margin) % step) / np.float32(step)
        for column in range(values.shape[1]):
            line[column] = values[above, column] + lower * (
                values[below, column] - values[above, column]
            )
        for column in range(width):
            left = (column + margin) // step
            right = min(left + 1, last_column)
            further = np.float32((column + margin) % step) / np.float32(step)
            result[row, column] = line[left] + further * (line[right] - line[left])
    return result


@kernel
def window_entropy(levels: NDArray[np.int16], size: int, level_count: int) -> NDArray[np.float64]:
    """Entropy in bits of the levels in every `size` x `size` window; -1 is no level.

    The histogram slides along each row: a column of pixels enters, one leaves.
    The entropy of counts c with sum n is log2 n - (sum of c log2 c) / n, and a
    count that changes by one changes that inner sum by a tabulated amount.
    """
    rows = levels.shape[0] - size + 1
    columns = levels.shape[1] - size + 1
    entropy = np.zeros((rows, columns))
    logarithms = np.zeros(size * size + 1)
    gains = np.zeros(size * size + 1)
    for count in range(1, size * size + 1):
        logarithms[count] = np.log2(count)
        gains[count] = count * logarithms[count] - (count - 1) * logarithms[count - 1]
    histogram = np.zeros(level_count, dtype=np.int32)
    for row in range(rows):
        histogram[:] = 0
        inside = 0
        inner = 0.0
        for column in range(levels.shape[1]):
            if column >= size:
                for step in range(size):
                    level = levels[row + step, column - size]
                    if level >= 0:
                        inner -= gains[histogram[level]]
                        histogram[level] -= 1
                        inside -= 1
            for step in range(size):
                level = levels[row + step, column]
                if level >= 0:
                    histogram[level] += 1
                    inner += gains[histogram[level]]
                    inside += 1
            if column >= size - 1 and inside > 0:
                # Rounding may leave a hair below zero where all levels are equal.
                entropy[row, column - size + 1] = max(0.0, logarithms[inside] - inner / inside)
    return entropy


@kernel
def block_contrast(
    running: NDArray[np.float64],
    running_counts: NDArray[np.int64],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    runs: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Magnitude of the positive minus the negative blocks' mean at the given pixels.

    `running` and `running_counts` are sums of the valid values and their number
    along each row up to but without a column.  Each of `runs` (N, 4) is a row
    offset, a first and an end column offset, and a sign.  A side of the filter
    without a valid pixel makes 0.
    """
    contrast = np.zeros(rows.size)
    for pixel in range(rows.size):
        raised = 0.0
        lowered = 0.0
        raised_count = 0
        lowered_count = 0
        for index in range(runs.shape[0]):
            row = rows[pixel] + runs[index, 0]
            first = columns[pixel] + runs[index, 1]
            end = columns[pixel] + runs[index, 2]
            run_sum = running[row, end] - running[row, first]
            run_count = running_counts[row, end] - running_counts[row, first]
            if runs[index, 3] > 0:
                raised += run_sum
                raised_count += run_count
            else:
                lowered += run_sum
                lowered_count += run_count
        if raised_count > 0 and lowered_count > 0:
            contrast[pixel] = abs(raised / raised_count - lowered / lowered_count)
    return contrast
