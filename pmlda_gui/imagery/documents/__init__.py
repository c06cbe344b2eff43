"""Dividing an image into documents: superpixels, a grid, sliding windows or a given map."""

from pmlda_gui.imagery.documents.collection import Documents
from pmlda_gui.imagery.documents.make import DEFAULT_COUNT, KINDS, Kind, make_documents

__all__ = ["DEFAULT_COUNT", "KINDS", "Documents", "Kind", "make_documents"]
