"""Search terms for settings and help pages in the command list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QCheckBox, QComboBox, QDockWidget, QScrollArea, QSlider, QWidget

__all__ = ["Finding", "findings"]

# Other words that people use for a setting, by the name of its control.
_SYNONYMS = {
    "topics": "k classes clusters kinds number of topics segments",
    "smoothness": "smooth blur transition width",
    "coupling": "tau neighbours markov random field potts",
    "rate": "lambda crisp gradual exponential prior of the scaling",
    "scaling": "s concentration crispness",
    "scaling_fixed": "s concentration fixed",
    "alpha": "dirichlet prior sparse sparsity",
    "alphas_per_topic": "alpha per topic dirichlet",
    "fuzzifier": "m fuzzy fuzziness",
    "proportions_fixed": "pi shares proportions mixture weights",
    "document_kind": "superpixels slic grid windows labels segments",
    "document_count": "superpixels segments number of documents slic size",
    "document_window": "window size of documents",
    "document_stride": "step overlap of documents",
    "feature_preset": "texture gabor entropy features",
    "feature_window": "texture window size scale",
    "sampler": "gibbs metropolis paper least squares mcmc",
    "display_scale": "contrast decibel db logarithm brightness",
    "display_colours": "palette colour map",
    "gamma": "contrast brightness middle tones",
    "outlines_shown": "superpixels borders segments",
    "outlines_opacity": "superpixels borders transparency",
    "overlay_shown": "blend transparency flicker",
    "overlay_picture": "blend transparency",
    "overlay_opacity": "blend transparency alpha",
    "queue_topics": "watch folder queue batch incoming",
}
# What a setting is called away from its heading.
_WHOLE_NAMES = {
    "document_count": "Number of documents",
    "document_window": "Window of the documents",
    "document_stride": "Stride of the documents",
    "feature_window": "Window of the features",
    "outlines_opacity": "Opacity of the outlines",
    "overlay_opacity": "Opacity of the overlay",
    "overlay_shown": "Overlay on the source image",
    "alpha_each": "Alpha per topic",
    "scaling_fixed": "Scaling fixed for all",
    "proportions_fixed": "Proportions fixed for all",
}
_HELP_WORDS = {
    "getting-started": "tutorial introduction first steps",
    "maps": "membership uncertainty composite estimate mean map legend colours",
    "parameters": "lambda rate alpha scaling fuzzifier topics coupling smoothness",
    "documents": "superpixels slic grid windows segments",
    "features": "texture gabor ripple entropy window",
    "files": "formats xtf jsf geotiff mat save workspace export",
    "comparing": "methods fuzzy c-means lda k-means swipe",
    "keyboard": "keys shortcuts",
    "analysis": "profile width transition region area measure distance bearing how many topics",
    "troubleshooting": "problems slow crash log",
}


@dataclass(frozen=True)
class Finding:
    """Something that can be gone to: what it is called, of which kind, and other words for it."""

    text: str
    kind: str
    words: str
    go: Callable[[], None]


def findings(docks: Iterable[QDockWidget], show_help: Callable[[str], None]) -> Iterator[Finding]:
    """All settings of the panels, then all help pages."""
    from pmlda_gui.gui.dialogs.help import PAGES

    for dock in docks:
        for control in dock.findChildren(QWidget):
            name = control.objectName()
            if not isinstance(control, QSlider | QComboBox | QCheckBox) or not name:
                continue
            text = _WHOLE_NAMES.get(name) or control.accessibleName()
            text = text or getattr(control, "text", str)().replace("&", "")
            if text:
                words = f"{_SYNONYMS.get(name, '')} {name.replace('_', ' ')}"
                yield Finding(text, "setting", words, partial(_go_to, dock, control))
    for name, title in PAGES:
        yield Finding(title, "help", f"help {_HELP_WORDS.get(name, '')}", partial(show_help, name))


def _go_to(dock: QDockWidget, control: QWidget) -> None:
    """Bring a control into sight and give it the keyboard."""
    dock.show()
    dock.raise_()
    area = control.parentWidget()
    while area is not None and area is not dock:
        if isinstance(area, QScrollArea):
            area.ensureWidgetVisible(control)
        area = area.parentWidget()
    control.setFocus()
