"""Dividing an image into documents: superpixels, a grid, sliding windows or a given map."""

from pmlda_gui.imagery.documents.collection import Documents
from pmlda_gui.imagery.documents.make import KINDS, Kind, make_documents

__all__ = ["KINDS", "Documents", "Kind", "make_documents"]
