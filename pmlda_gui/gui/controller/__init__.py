"""The one place that knows panels, views, worker and workspace, and joins them."""

from pmlda_gui.gui.controller.controller import Controller

__all__ = ["Controller"]
