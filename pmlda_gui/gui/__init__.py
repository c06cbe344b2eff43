"""The window: everything that imports Qt.  Only the controller joins views, panels and worker."""
