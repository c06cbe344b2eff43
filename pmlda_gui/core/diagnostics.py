"""Convergence: effective sample sizes, split R-hat, and a verdict in words.

The second half of the sweeps since the last change of target is looked at; with
several chains their topics are matched first, for topics have no order of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.core.chain import Chain
from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.ess_rhat import effective_sizes, split_rhat
from pmlda_gui.core.matching import match_topics
from pmlda_gui.core.settled_bounds import CHANGE_SETTLED, SIZE_SETTLED

__all__ = ["Diagnosis", "diagnose"]

Array = NDArray[np.float64]
_LEAST_SWEEPS = 40
_RHAT_SETTLED, _RHAT_MOVING = 1.05, 1.2
_SIZE_MOVING = 10.0
# Of the words that are followed, this share must have settled.
_SHARE_OF_WORDS = 0.95


@dataclass(frozen=True)
class Diagnosis:
    """What the chains say about themselves.

    `ess` and `rhat` give for each followed quantity the worst effective sample
    size and the worst split R-hat (for memberships: the worst but one in twenty).
    `maps_settled` speaks of the memberships alone, `settled` of everything.
    `map_change` is how far the maps of earlier draws are from those of later ones, as a root
    mean squared difference of memberships, None where it is not known.
    """

    chains: int
    sweeps: int
    ess: Mapping[str, float]
    rhat: Mapping[str, float]
    settled: bool
    maps_settled: bool
    verdict: str
    map_change: float | None = None


def _gather(chains: Sequence[Chain]) -> tuple[dict[str, Array], int]:
    """The followed quantities of all chains, (chains, sweeps, ...), topics matched."""
    quantities = [chain.trace.quantities for chain in chains]
    lengths = [len(each.get("variance", ())) for each in quantities]
    sweeps = min(lengths)
    kept = sweeps - sweeps // 2
    rows: dict[str, list[Any]] = {}
    reference: Array | None = None
    for each in quantities:
        if kept == 0:
            break
        tail = {name: values[len(values) - kept :] for name, values in each.items()}
        centre = tail["means"].mean(axis=0)
        reference = centre if reference is None else reference
        order = match_topics(reference, centre)
        rows.setdefault("variance", []).append(np.log(tail["variance"]))
        rows.setdefault("likelihood", []).append(tail["words"])
        rows.setdefault("scaling", []).append(tail["scaling"])
        rows.setdefault("means", []).append(tail["means"][:, order].reshape(kept, -1))
        rows.setdefault("proportions", []).append(tail["proportions"][:, order])
        # Nobody sees a thousandth on a map, but ranks would see 1e-30 against 1e-40.
        followed = np.round(tail["memberships"][:, :, order], 3).reshape(kept, -1)
        rows.setdefault("memberships", []).append(followed)
    gathered = {name: np.array(values) for name, values in rows.items()}
    for name, values in gathered.items():
        if values.ndim == 2:
            gathered[name] = values[..., None]
    return gathered, kept


def diagnose(chains: Chain | Sequence[Chain], map_change: float | None = None) -> Diagnosis:
    """Diagnose one chain, or several from different starts or seeds on the same corpus.

    `map_change` is that of the maps made from the chain's draws, where they are known.
    """
    group = [chains] if isinstance(chains, Chain) else list(chains)
    if not group:
        raise PmldaError("There is no chain to diagnose: run at least one.")
    if len({(chain.parameters.topics, chain.corpus.size) for chain in group}) > 1:
        raise PmldaError("Chains can be compared only if they have the same words and topics.")
    draws, kept = _gather(group)
    if kept < _LEAST_SWEEPS:
        return Diagnosis(
            len(group), kept, {}, {}, False, False, f"too early to tell ({2 * kept} sweeps so far)"
        )
    ess, rhat = {}, {}
    for name, values in draws.items():
        quantile = _SHARE_OF_WORDS if name == "memberships" else 1.0
        ess[name] = float(np.quantile(effective_sizes(values), 1.0 - quantile))
        rhat[name] = float(np.quantile(split_rhat(values), quantile))
    still = map_change is None or map_change <= CHANGE_SETTLED
    maps_settled = (
        still and rhat["memberships"] < _RHAT_SETTLED and ess["memberships"] >= SIZE_SETTLED
    )
    settled = maps_settled and all(
        rhat[name] < _RHAT_SETTLED and ess[name] >= SIZE_SETTLED for name in draws
    )
    verdict = _verdict(len(group), ess, rhat, settled, maps_settled, still)
    return Diagnosis(len(group), kept, ess, rhat, settled, maps_settled, verdict, map_change)


def _verdict(
    chains: int,
    ess: Mapping[str, float],
    rhat: Mapping[str, float],
    settled: bool,
    maps_settled: bool,
    still: bool,
) -> str:
    worst = max(rhat, key=lambda name: rhat[name])
    if settled:
        return "settled" if chains > 1 else "settled, as far as one chain can tell"
    if maps_settled:
        return f"the maps have settled; the {_still_moves(worst, rhat)}"
    if rhat["memberships"] > _RHAT_MOVING or ess["memberships"] < _SIZE_MOVING:
        if chains > 1 and rhat["memberships"] > _RHAT_MOVING:
            return (
                "the chains disagree about the maps "
                f"(R-hat {rhat['memberships']:.2f}): run longer, or the words do not determine them"
            )
        return f"still moving (R-hat {rhat[worst]:.2f} in the {worst})"
    if not still:
        return "the maps still change by more than 1 % from earlier draws to later ones"
    return f"nearly settled maps, but the {_still_moves(worst, rhat)}"


def _still_moves(name: str, rhat: Mapping[str, float]) -> str:
    verb = "move" if name.endswith("s") else "moves"
    return f"{name} still {verb} (R-hat {rhat[name]:.2f})"
