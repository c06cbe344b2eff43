"""What hints add to the conditional of a membership (see `core.hints`).

In l = ln z_k - ln S, S the sum of the other topics, hints f for topics and v against them add

    f_k l - (sum_j f_j + v_k) ln(1 + e^l) + sum_{j != k} v_j ln(1 - r_j (1 - y)),

where y = logistic(l) and r_j = z_j / S is held fixed.  The first two terms change the
exponents of the Dirichlet density and nothing else; the last is added to its value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.kernel_compiler import kernel
from pmlda_gui.core.kernels.blocks import BLOCK
from pmlda_gui.core.kernels.conditional import (
    OWN,
    REST,
    RESULT,
    VALUE,
    logistic,
    share_and_softplus,
)
from pmlda_gui.core.vector_math import exp, log

__all__ = [
    "AVOID",
    "FAVOUR",
    "add_avoided",
    "add_exponents",
    "avoided_slope",
    "hints_density",
    "load_hints",
    "words_with_hints",
]

Array = NDArray[np.float64]
Places = NDArray[np.int32]
# What the words of a block have: hints for topics only, or also against topics.
FAVOUR, AVOID = 1, 2
# 1 - z below this counts as this.
_LEAST_REST = 1e-300


@kernel
def load_hints(
    first: int,
    count: int,
    places: Places,
    favour: Array,
    avoid: Array,
    block_favour: Array,
    block_avoid: Array,
) -> int:
    """Copy the hints on a block of words, (K, BLOCK); return 0, FAVOUR or AVOID."""
    if places.size == 0:
        return 0
    found = 0
    for i in range(count):
        if places[first + i] >= 0:
            found = FAVOUR
    if found == 0:
        return 0
    for k in range(favour.shape[0]):
        for i in range(count):
            place = places[first + i]
            block_favour[k, i] = favour[k, place] if place >= 0 else 0.0
            block_avoid[k, i] = avoid[k, place] if place >= 0 else 0.0
            if block_avoid[k, i] > 0.0:
                found = AVOID
    return found


@kernel
def add_exponents(
    k: int, count: int, block_favour: Array, block_avoid: Array, scratch: Array
) -> None:
    """Add the hints to the exponents OWN and REST of topic k's conditional."""
    for i in range(count):
        scratch[OWN * BLOCK + i] += block_favour[k, i]
        scratch[REST * BLOCK + i] += block_avoid[k, i]
    for j in range(block_favour.shape[0]):
        if j != k:
            for i in range(count):
                scratch[REST * BLOCK + i] += block_favour[j, i]


@kernel
def _rest_of(j: int, k: int, i: int, shares: Array) -> float:
    """The sum of the shares of word i but for topics j and k."""
    rest = 0.0
    for other in range(shares.shape[0]):
        if other not in (j, k):
            rest += shares[other, i]
    return rest


@kernel
def add_avoided(
    k: int,
    active: int,
    first: int,
    index: NDArray[np.int64],
    shares: Array,
    sums: Array,
    block_avoid: Array,
    scratch: Array,
) -> None:
    """Add to VALUE what hints against other topics than k say of every candidate.

    Candidate i is of word `index[i]`, whose place in the block is counted from `first`;
    `shares` (K, BLOCK) of the others sum to `sums`.
    """
    for i in range(active):
        place = index[i] - first
        for j in range(shares.shape[0]):
            strength = block_avoid[j, place]
            if j != k and strength > 0.0:
                y = logistic(scratch[RESULT * BLOCK + i])
                left = _rest_of(j, k, place, shares) + shares[j, place] * y
                scratch[VALUE * BLOCK + i] += strength * log(max(left / sums[place], _LEAST_REST))


@kernel
def avoided_slope(
    k: int, i: int, l: float, shares: Array, block_avoid: Array
) -> tuple[float, float]:
    """Slope and curvature, counted downwards, of what `add_avoided` adds for word i at l."""
    slope = 0.0
    curvature = 0.0
    y = logistic(l)
    for j in range(shares.shape[0]):
        strength = block_avoid[j, i]
        if j != k and strength > 0.0:
            part = shares[j, i] * y
            part /= max(_rest_of(j, k, i, shares) + part, _LEAST_REST)
            slope += strength * part * (1.0 - y)
            curvature += strength * part * (1.0 - y) * (y - (1.0 - part) * (1.0 - y))
    return slope, curvature


@kernel
def words_with_hints(members: NDArray[np.int64], places: NDArray[np.int32]) -> NDArray[np.int64]:
    """Which of these words have hints."""
    found = np.empty(members.size if places.size > 0 else 0, np.int64)
    count = 0
    for n in range(found.size):
        if places[members[n]] >= 0:
            found[count] = n
            count += 1
    return found[:count]


@kernel
def hints_density(
    k: int,
    hinted: NDArray[np.int64],
    members: NDArray[np.int64],
    places: Places,
    favour: Array,
    avoid: Array,
    ratios: Array,
    scratch: Array,
) -> float:
    """What hints add to the log density of a document's words at their candidates.

    `hinted` are those of its `members` that have hints; `ratios` (K, members) are
    ln z_j - ln S of the others, and a row of `scratch` is a block of candidates.
    """
    topics = favour.shape[0]
    total = 0.0
    for n in hinted:
        place = places[members[n]]
        l = scratch[n // BLOCK, RESULT * BLOCK + n % BLOCK]
        y, softplus = share_and_softplus(l)
        total += favour[k, place] * l
        power = avoid[k, place]
        for j in range(topics):
            power += favour[j, place]
            if j != k and avoid[j, place] > 0.0:
                left = exp(ratios[j, n]) * y
                for other in range(topics):
                    if other not in (j, k):
                        left += exp(ratios[other, n])
                total += avoid[j, place] * log(max(left, _LEAST_REST))
        total -= power * softplus
    return total
