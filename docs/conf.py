"""How Sphinx builds the site: `make docs`, offline, every warning an error."""

from __future__ import annotations

import importlib.metadata

project = "pmlda_gui"
copyright = "the pmlda_gui contributors"
version = release = importlib.metadata.version("pmlda-gui")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"pmlda_gui {version}"
html_show_sourcelink = False
html_copy_source = False

autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
nitpicky = False
