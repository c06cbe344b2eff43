"""Sentences about the findings of a run, for reports and for the window."""

from __future__ import annotations

from collections.abc import Sequence

from pmlda_gui.core.findings import Findings

__all__ = ["remarks_on"]


def remarks_on(findings: Findings, names: Sequence[str]) -> list[str]:
    """What an operator should know about the topics, which have these names by row."""
    said = [f"{names[topic]} is nearly empty: fewer topics may do." for topic in findings.empty]
    said += [
        f"{names[one]} and {names[other]} are hardly two seabeds: merge them, or take fewer topics."
        for one, other in findings.alike
    ]
    count = len(findings.unexplained)
    if count:
        documents = "One document holds" if count == 1 else f"{count} documents hold"
        said.append(
            f"{documents} words that no mixture of the topics explains: there may be another kind "
            "of seabed, or something that is none."
        )
    return said
