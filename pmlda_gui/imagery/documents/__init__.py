"""Dividing an image into documents: superpixels, a grid, sliding windows or a given map."""

from pmlda_gui.imagery.documents.collection import Documents
from pmlda_gui.imagery.documents.make import KINDS, Kind, make_documents
from pmlda_gui.imagery.documents.watch import Cancelled

__all__ = ["KINDS", "Cancelled", "Documents", "Kind", "make_documents"]
