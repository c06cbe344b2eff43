"""Panels: the controls.  They know neither the worker nor each other."""
