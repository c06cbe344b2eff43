"""QGIS styles for labels and polygons, with the names and colours of the topics."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.topic_palette import hexadecimal

__all__ = ["hatch_style", "label_style", "outline_style", "topic_style"]


def label_style(topic_names: Sequence[str], colours: NDArray[np.uint8]) -> bytes:
    """The style (QML) of a raster whose value k, counted from 1, is topic k."""
    root = ElementTree.Element("qgis", version="3.22", styleCategories="AllStyleCategories")
    pipe = ElementTree.SubElement(root, "pipe")
    renderer = ElementTree.SubElement(
        pipe, "rasterrenderer", type="paletted", band="1", opacity="1", alphaBand="-1"
    )
    ElementTree.SubElement(renderer, "rasterTransparency")
    palette = ElementTree.SubElement(renderer, "colorPalette")
    for value, (name, colour) in enumerate(zip(topic_names, colours, strict=False), 1):
        ElementTree.SubElement(
            palette,
            "paletteEntry",
            value=str(value),
            color=hexadecimal(colour),
            label=_printable(name),
            alpha="255",
        )
    ElementTree.SubElement(root, "blendMode").text = "0"
    return _text(root).encode()


def topic_style(topics: Sequence[tuple[str, str]]) -> str:
    """The style of polygons by their column `topic`: (name, #rrggbb) each."""
    root, renderer = _vector_style("categorizedSymbol", attr="topic")
    categories = ElementTree.SubElement(renderer, "categories")
    symbols = ElementTree.SubElement(renderer, "symbols")
    for number, (name, colour) in enumerate(topics):
        ElementTree.SubElement(
            categories,
            "category",
            value=_printable(name),
            label=_printable(name),
            symbol=str(number),
            render="true",
        )
        fill = {"color": _rgba(colour), "outline_color": _rgba(colour), "style": "solid"}
        _fill_symbol(symbols, str(number), 0.75, fill | {"outline_width": "0.1"})
    return _text(root)


def hatch_style() -> str:
    """The style of transitions: hatched, so that what lies beneath is seen."""
    dark = _rgba("#262626")
    fill = {"color": dark, "outline_color": dark, "style": "b_diagonal", "outline_width": "0.2"}
    return _single_style(fill)


def outline_style() -> str:
    """The style of documents: outlines alone."""
    grey = _rgba("#606060")
    fill = {"color": grey, "outline_color": grey, "style": "no", "outline_width": "0.15"}
    return _single_style(fill)


def _single_style(fill: dict[str, str]) -> str:
    root, renderer = _vector_style("singleSymbol")
    _fill_symbol(ElementTree.SubElement(renderer, "symbols"), "0", 1.0, fill)
    return _text(root)


def _vector_style(kind: str, **more: str) -> tuple[ElementTree.Element, ElementTree.Element]:
    root = ElementTree.Element("qgis", version="3.22", styleCategories="Symbology")
    kinds = {"type": kind, "enableorderby": "0", "forceraster": "0", "symbollevels": "0"}
    renderer = ElementTree.SubElement(root, "renderer-v2", kinds | more)
    return root, renderer


def _fill_symbol(
    symbols: ElementTree.Element, name: str, alpha: float, properties: dict[str, str]
) -> None:
    symbol = ElementTree.SubElement(
        symbols, "symbol", type="fill", name=name, alpha=f"{alpha:g}", clip_to_extent="1"
    )
    layer = ElementTree.SubElement(
        symbol, "layer", {"class": "SimpleFill", "enabled": "1", "locked": "0", "pass": "0"}
    )
    options = ElementTree.SubElement(layer, "Option", type="Map")
    values = {"outline_style": "solid", "outline_width_unit": "MM", "joinstyle": "bevel"}
    for key, value in (values | properties).items():
        ElementTree.SubElement(options, "Option", type="QString", name=key, value=value)


def _rgba(colour: str) -> str:
    """#rrggbb as QGIS writes colours."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"{red},{green},{blue},255"


def _printable(name: str) -> str:
    """A name without tabs and bells, say, which are not allowed in XML."""
    return "".join(sign for sign in name if sign.isprintable())


def _text(root: ElementTree.Element) -> str:
    ElementTree.indent(root)
    document = ElementTree.tostring(root, encoding="unicode")
    return f"<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n{document}\n"
