"""Dividing an image into documents: superpixels, a grid, sliding windows or a given map."""

from pmlda_gui.imagery.documents.documents import Documents
from pmlda_gui.imagery.documents.factory import DEFAULT_COUNT, KINDS, Kind, make_documents

__all__ = ["DEFAULT_COUNT", "KINDS", "Documents", "Kind", "make_documents"]
