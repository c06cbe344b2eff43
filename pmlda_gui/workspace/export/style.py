"""A QGIS style for the labels: each topic in its colour, by name."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from pmlda_gui.imagery.colours import hexadecimal

__all__ = ["label_style"]


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
            # Other signs, tabs and bells say, are not allowed in XML.
            label="".join(sign for sign in name if sign.isprintable()),
            alpha="255",
        )
    ElementTree.SubElement(root, "blendMode").text = "0"
    ElementTree.indent(root)
    document = ElementTree.tostring(root, encoding="unicode")
    declaration = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>"
    return f"{declaration}\n{document}\n".encode()
