"""Exponential, logarithm and uniform random numbers that LLVM can vectorise.

The C library's exp and log are calls, and a loop with a call stays scalar; these
are polynomials without branches, accurate to one or two units in the last place,
so that a loop over a block of words runs eight words at a time.  Random numbers
are a hash of (key, counter): the bits depend on the word, not on the thread.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel

__all__ = [
    "atanh_twice",
    "exp",
    "keys_that_give",
    "log",
    "log_gamma",
    "log_gamma_difference",
    "rough_log",
    "shifted",
    "stream_keys",
    "uniform",
]

_FAST = {"contract"}


@intrinsic
def _bits_of(typing_context: Any, x: Any) -> Any:
    """The bits of a float64 as an int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


@intrinsic
def _float_of(typing_context: Any, bits: Any) -> Any:
    """The float64 that has these bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


# Adding 1.5 * 2^52 rounds a small float to an integer held in its low bits.
_ROUND = 6755399441055744.0
_LEAST_EXPONENT = -345.0
_LN2_HIGH = 0.6931471805598903
_LN2_LOW = 5.497923018708371e-14
_LN2 = 0.6931471805599453
_LOG2_E = 1.4426950408889634
_SQRT_HALF_BITS = 4604544271217802189


@numba.njit(inline="always", fastmath=_FAST, error_model="numpy")
def exp(x: float) -> float:
    """e to the x, and 0 where that is below 1e-150.

    A product of two results is then a normal number or 0: with denormal numbers a
    processor takes a hundred times as long.
    """
    nothing = x < _LEAST_EXPONENT
    x = min(max(x, _LEAST_EXPONENT), 708.0)
    shifted = x * _LOG2_E + _ROUND
    whole = shifted - _ROUND
    r = (x - whole * _LN2_HIGH) - whole * _LN2_LOW
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    p *= _float_of((_bits_of(shifted) + 1023) << 52)
    return 0.0 if nothing else p


@numba.njit(inline="always", fastmath=_FAST, error_model="numpy")
def log(x: float) -> float:
    """Natural logarithm of a positive, normal number."""
    bits = _bits_of(x)
    exponent = (bits - _SQRT_HALF_BITS) >> 52
    mantissa = _float_of(bits - (exponent << 52))
    f = (mantissa - 1.0) / (mantissa + 1.0)
    s = f * f
    p = 1.0 / 21.0
    p = p * s + 1.0 / 19.0
    p = p * s + 1.0 / 17.0
    p = p * s + 1.0 / 15.0
    p = p * s + 1.0 / 13.0
    p = p * s + 1.0 / 11.0
    p = p * s + 1.0 / 9.0
    p = p * s + 1.0 / 7.0
    p = p * s + 1.0 / 5.0
    p = p * s + 1.0 / 3.0
    return float(exponent) * _LN2 + 2.0 * (f + f * (s * p))


@numba.njit(inline="always", fastmath=_FAST, error_model="numpy")
def atanh_twice(f: float) -> float:
    """2 artanh(f) for f in [0, 1/3]; with f = x / (2 + x) it is ln(1 + x) for x in [0, 1]."""
    s = f * f
    p = 1.0 / 31.0
    p = p * s + 1.0 / 29.0
    p = p * s + 1.0 / 27.0
    p = p * s + 1.0 / 25.0
    p = p * s + 1.0 / 23.0
    p = p * s + 1.0 / 21.0
    p = p * s + 1.0 / 19.0
    p = p * s + 1.0 / 17.0
    p = p * s + 1.0 / 15.0
    p = p * s + 1.0 / 13.0
    p = p * s + 1.0 / 11.0
    p = p * s + 1.0 / 9.0
    p = p * s + 1.0 / 7.0
    p = p * s + 1.0 / 5.0
    p = p * s + 1.0 / 3.0
    return 2.0 * (f + f * (s * p))


@numba.njit(inline="always", fastmath=_FAST, error_model="numpy")
def rough_log(x: float) -> float:
    """Natural logarithm within 0.016, for starting points that need no more."""
    bits = _bits_of(x)
    exponent = (bits - _SQRT_HALF_BITS) >> 52
    r = _float_of(bits - (exponent << 52)) - 1.0
    return float(exponent) * _LN2 + r * (1.0 - 0.45 * r)


_HALF_LOG_TWO_PI = 0.9189385332046727


@numba.njit(inline="always", fastmath=_FAST, error_model="numpy")
def _stirling(inverse: float) -> float:
    """What Stirling's series adds, by 1 / x for x of 7 or more."""
    square = inverse * inverse
    p = -691.0 / 360360.0
    p = p * square + 1.0 / 1188.0
    p = p * square - 1.0 / 1680.0
    p = p * square + 1.0 / 1260.0
    p = p * square - 1.0 / 360.0
    p = p * square + 1.0 / 12.0
    return p * inverse


@numba.njit(inline="always", fastmath=_FAST, error_model="numpy")
def log_gamma(x: float) -> float:
    """ln Gamma of a positive number: Stirling's series, below 7 after seven steps up."""
    small = x < 7.0
    steps = x * (x + 1.0) * (x + 2.0) * (x + 3.0) * (x + 4.0) * (x + 5.0) * (x + 6.0)
    y = x + 7.0 if small else x
    steps = steps if small else 1.0
    return (y - 0.5) * log(y) - y + _HALF_LOG_TWO_PI + _stirling(1.0 / y) - log(steps)


@numba.njit(inline="always", fastmath=_FAST, error_model="numpy")
def log_gamma_difference(x: float, y: float) -> float:
    """ln Gamma(x) - ln Gamma(y), with three logarithms where two calls would take four."""
    small_x, small_y = x < 7.0, y < 7.0
    steps_x = x * (x + 1.0) * (x + 2.0) * (x + 3.0) * (x + 4.0) * (x + 5.0) * (x + 6.0)
    steps_y = y * (y + 1.0) * (y + 2.0) * (y + 3.0) * (y + 4.0) * (y + 5.0) * (y + 6.0)
    high_x = x + 7.0 if small_x else x
    high_y = y + 7.0 if small_y else y
    inverse = 1.0 / (high_x * high_y)
    inverse_x, inverse_y = inverse * high_y, inverse * high_x
    ratio = (steps_y if small_y else 1.0) / (steps_x if small_x else 1.0)
    return (
        (high_x - 0.5) * log(high_x) - (high_y - 0.5) * log(high_y) - (high_x - high_y)
        + _stirling(inverse_x) - _stirling(inverse_y) + log(ratio)
    )  # fmt: skip


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_ONE_BITS = np.uint64(0x3FF0000000000000)
_S12, _S27, _S30, _S31 = np.uint64(12), np.uint64(27), np.uint64(30), np.uint64(31)


@numba.njit(inline="always")
def _scramble(z: np.uint64) -> np.uint64:
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@numba.njit(inline="always")
def uniform(key: np.uint64, counter: np.uint64) -> float:
    """A uniform number in (0, 1), the `counter`-th of the stream `key`.

    Each stream is a splitmix64 sequence that begins at its key; 52 bits are used,
    and neither 0 nor 1 occurs.
    """
    z = _scramble(key + counter * _GOLDEN)
    return _float_of(np.int64((z >> _S12) | _ONE_BITS)) - 0.9999999999999999


# What undoes the multiplications of `_scramble`.
_UNDO_1, _UNDO_2 = (np.uint64(pow(int(factor), -1, 1 << 64)) for factor in (_MIX_1, _MIX_2))


def keys_that_give(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Keys of streams that begin with these uniform numbers, up to rounding."""
    z = (numbers * 2.0**52).astype(np.uint64) << _S12
    z = z ^ (z >> _S31) ^ (z >> np.uint64(62))
    z = z * _UNDO_2
    z = z ^ (z >> _S27) ^ (z >> np.uint64(54))
    z = z * _UNDO_1
    return z ^ (z >> _S30) ^ (z >> np.uint64(60))


@kernel
def stream_keys(seed: int, sweep: int, use: int, count: int) -> NDArray[np.uint64]:
    """Keys of `count` streams; other seeds, sweeps or uses give unrelated ones."""
    keys = np.empty(count, np.uint64)
    z = _scramble(np.uint64(seed) + _GOLDEN)
    z = _scramble(z ^ (np.uint64(sweep) * _GOLDEN + _MIX_1))
    z = _scramble(z ^ (np.uint64(use) * _GOLDEN + _MIX_2))
    for i in range(count):
        keys[i] = _scramble(z + np.uint64(i + 1) * _GOLDEN)
    return keys


def shifted(keys: NDArray[np.uint64], numbers: int) -> NDArray[np.uint64]:
    """Keys of the same streams without their first `numbers` numbers."""
    skipped = np.uint64(numbers * int(_GOLDEN) % (1 << 64))
    return keys + skipped
