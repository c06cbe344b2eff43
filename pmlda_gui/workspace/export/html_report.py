"""report.html: the report for a browser, in one self-contained file.

Pictures are inside it, traces are drawn as SVG, and it is readable on a light and on
a dark screen.  Every word that comes from a file's name or header is escaped.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.topic_palette import hexadecimal
from pmlda_gui.workspace.analysis.light import light_of
from pmlda_gui.workspace.change_texts import changes_of
from pmlda_gui.workspace.export.result import Result

__all__ = ["report_page"]

# More pictures than this would make a file that browsers are slow to open.
_MOST_PICTURES = 40
_TRACE_WIDTH, _TRACE_HEIGHT, _TRACE_LEFT, _TRACE_BOTTOM = 720, 200, 84, 24
_MOST_POINTS = 600

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2026; --faded: #5f6873;
  --line: #d9dde2; --tint: #f3f5f7; --good: #00714f; --doubt: #9a5b00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --ink: #e8ebee; --faded: #9aa4af; --line: #343a42;
    --tint: #1e2329; --good: #4fd1a5; --doubt: #f0a830; } }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
.faded { color: var(--faded); } .good { color: var(--good); } .doubt { color: var(--doubt); }
.verdict { font-size: 1.1rem; font-weight: 600; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--faded); font-weight: 500; } .scroll { overflow-x: auto; }
figure { margin: 1rem 0; } figure img { width: 100%; height: auto; border-radius: 6px; }
.swatch { display: inline-block; width: .85em; height: .85em; border-radius: 3px;
  margin-right: .5em; vertical-align: -.05em; }
ul { padding-left: 1.2rem; } li { margin: .25rem 0; }
svg { width: 100%; height: auto; background: var(--tint); border-radius: 6px; }
svg text { fill: var(--faded); font: 12px system-ui, sans-serif; }
svg polyline { fill: none; stroke-width: 1.5; }
"""


def report_page(
    result: Result, report: Mapping[str, Any], stems: Sequence[str], pictures: Sequence[bytes]
) -> bytes:
    """The page; `report` is what report.json holds, `pictures` are PNG files."""
    title = stems[0] if len(stems) == 1 else f"{len(stems)} images"
    parts = [
        f"<h1>Soft segmentation of {escape(title)}</h1>",
        f"<p class='faded'>{_moment(report['finished'])}, "
        f"pmlda-gui {escape(report['version'])}</p>",
        _verdict(result),
        _warnings(result.warnings),
        "<h2>What was done</h2>",
        _story(result),
        "<h2>Topics</h2>",
        _topics(result),
        "<h2>Pictures</h2>",
        _pictures(stems, pictures),
        "<h2>Traces</h2>",
        _traces(result.traces, result.chosen_chain),
        _convergence(report["convergence"]),
        "<h2>Time</h2>",
        _table(
            ("stage", "seconds"),
            [(stage, f"{spent:.2f}") for stage, spent in report["seconds"].items()],
        ),
        "<h2>Files</h2>",
        "<ul>" + "".join(f"<li>{escape(name)}</li>" for name in report["files"]) + "</ul>",
    ]
    head = (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}: soft segmentation</title><style>{_STYLE}</style></head><body>"
    )
    return (head + "\n".join(parts) + "</body></html>\n").encode()


def _moment(iso: str) -> str:
    return f"{datetime.fromisoformat(iso):%d %B %Y, %H:%M %Z}"


def _verdict(result: Result) -> str:
    kind = "good" if result.diagnosis.maps_settled else "doubt"
    light = light_of(result.diagnosis)
    return (
        f"<p class='verdict {kind}'>{light.colour.capitalize()}: {escape(light.text)} "
        f"(convergence: {escape(result.diagnosis.verdict)}).</p>"
    )


def _warnings(warnings: Sequence[str]) -> str:
    if not warnings:
        return "<p>There is nothing to warn about.</p>"
    rows = "".join(f"<li>{escape(text)}</li>" for text in warnings)
    return f"<h2>Please note</h2><ul>{rows}</ul>"


def _story(result: Result) -> str:
    """The run in sentences."""
    settings, first = result.settings, result.images[0].segmentation
    pixels = sum(each.valid_pixels for each in result.images)
    documents = sum(
        each.segmentation.documents.count
        for each in result.images
        if each.segmentation.documents is not None
    )
    several = len(result.images) > 1
    images = f"{len(result.images)} images" if several else "One image"
    scaling = (
        "learned for each document"
        if settings["scaling"] == "learn"
        else f"fixed at {_in_words(settings['scaling'])}"
    )
    proportions = (
        "learned for each document"
        if settings["proportions"] == "learn"
        else f"fixed ({_in_words(settings['proportions'])})"
    )
    chains = (
        "One chain ran"
        if len(result.traces) == 1
        else f"{len(result.traces)} chains ran, of which chain {result.chosen_chain + 1}, with the "
        "best fit, is shown; it ran"
    )
    measured = f" in {result.measured_in}" if result.measured_in else ""
    sentences: tuple[str, ...] = (
        f"{images} with {pixels:,} valid pixels {'were' if several else 'was'} divided into "
        f"{documents:,} documents ({settings['documents']}).",
        f"Each pixel was described by {', '.join(first.feature_names)}{measured}, and "
        f"Partial Membership LDA with {result.topics} topics was fitted to all of them together.",
        f"The scaling was {scaling} (rate {_in_words(settings['rate'])}), the proportions were "
        f"{proportions} (alpha {_in_words(settings['alpha'])}), and the fuzzifier was "
        f"{_in_words(settings['fuzzifier'])}.",
        f"{chains} {result.sweeps} sweeps over all words with the {settings['sampler']} sampler, "
        f"seed {settings['seed']}; the maps are the estimate called {settings['estimate']}.",
    )
    told = [f"from sweep {each.from_sweep} on {each.what}" for each in changes_of(result.journal)]
    if told:
        sentences += (f"Settings were changed on the way: {'; '.join(told)}.",)
        if result.sweeps_under_settings is not None:
            sentences += (
                f"The maps rest on the {result.sweeps_under_settings} sweeps since the last of "
                "these changes.",
            )
    if len(first.means) > 1 and np.all(np.diff(first.means[:, 0]) > 0):
        order = " Topics are numbered by the mean of the first feature, smallest first."
    else:
        order = ""
    return "<p>" + escape(" ".join(sentences) + order) + "</p>"


def _in_words(value: Any) -> str:
    """A setting with no more digits than a reader wants; several are listed."""
    if isinstance(value, str):
        return value
    return ", ".join(f"{each:.4g}" for each in np.atleast_1d(value))


def _topics(result: Result) -> str:
    segmentation = result.images[0].segmentation
    head = ["topic", "area fraction"] + [
        f"{name} [{unit}]"
        for name, unit in zip(segmentation.feature_names, segmentation.feature_units, strict=True)
    ]
    rows = []
    for topic, name in enumerate(result.topic_names):
        swatch = f"<span class='swatch' style='background:{hexadecimal(result.colours[topic])}'>"
        means = "".join(f"<td>{value:.4g}</td>" for value in segmentation.means[topic])
        rows.append(
            f"<tr><td>{swatch}</span>{escape(name)}</td>"
            f"<td>{result.area_fractions[topic]:.1%}</td>{means}</tr>"
        )
    columns = "".join(f"<th>{escape(text)}</th>" for text in head)
    variance = (
        f"<p class='faded'>Variance of the standardised features: {segmentation.variance:.4g}.</p>"
    )
    return f"<div class='scroll'><table><tr>{columns}</tr>{''.join(rows)}</table></div>{variance}"


def _pictures(stems: Sequence[str], pictures: Sequence[bytes]) -> str:
    figures = [
        f"<figure><img alt='{escape(stem, quote=True)}: image, topic maps and composite' "
        f"src='data:image/png;base64,{base64.b64encode(picture).decode()}'></figure>"
        for stem, picture in zip(stems[:_MOST_PICTURES], pictures, strict=False)
    ]
    if len(pictures) > _MOST_PICTURES:
        figures.append(
            f"<p>The pictures of the other {len(pictures) - _MOST_PICTURES} images lie beside "
            "this file.</p>"
        )
    return "".join(figures)


def _traces(traces: Sequence[NDArray[np.float64]], chosen: int) -> str:
    """The log joint by sweep, the chosen chain in full strength."""
    longest = max((len(trace) for trace in traces), default=0)
    if longest < 2:
        return "<p>There were too few sweeps over all pixels to draw a trace.</p>"
    everything = np.concatenate([trace for trace in traces if len(trace)])
    low, high = float(everything.min()), float(everything.max())
    span = max(high - low, 1e-9 * max(abs(high), 1.0))
    width, height = _TRACE_WIDTH - _TRACE_LEFT - 12, _TRACE_HEIGHT - _TRACE_BOTTOM - 12
    lines = []
    for number, trace in enumerate(traces):
        step = max(1, len(trace) // _MOST_POINTS)
        points = " ".join(
            f"{_TRACE_LEFT + width * sweep / (longest - 1):.1f},"
            f"{12 + height * (1 - (trace[sweep] - low) / span):.1f}"
            for sweep in range(0, len(trace), step)
        )
        opacity = 1 if number == chosen else 0.45
        lines.append(f"<polyline points='{points}' stroke='#1f83c6' opacity='{opacity}'/>")
    bottom = 12 + height
    labels = (
        f"<text x='{_TRACE_LEFT - 8}' y='20' text-anchor='end'>{high:.4g}</text>"
        f"<text x='{_TRACE_LEFT - 8}' y='{bottom}' text-anchor='end'>{low:.4g}</text>"
        f"<text x='{_TRACE_LEFT}' y='{bottom + 17}'>1</text>"
        f"<text x='{_TRACE_LEFT + width}' y='{bottom + 17}' text-anchor='end'>"
        f"sweep {longest}</text>"
    )
    return (
        "<p>Log joint of every sweep over all words; a settled chain wanders about a level.</p>"
        f"<svg viewBox='0 0 {_TRACE_WIDTH} {_TRACE_HEIGHT}' role='img' "
        f"aria-label='Log joint by sweep'>{''.join(lines)}{labels}</svg>"
    )


def _convergence(found: Mapping[str, Any]) -> str:
    sizes, rhat = found["effective_sample_size"], found["split_r_hat"]
    if not sizes:
        return ""
    rows = [(name, _number(sizes[name]), _number(rhat[name])) for name in sizes]
    return _table(("quantity", "effective sample size (worst)", "split R-hat (worst)"), rows)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3g}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    columns = "".join(f"<th>{escape(text)}</th>" for text in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    return f"<div class='scroll'><table><tr>{columns}</tr>{body}</table></div>"
