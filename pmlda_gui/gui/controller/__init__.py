"""The controller: joins panels, views, worker and workspace."""

from pmlda_gui.gui.controller.controller import Controller

__all__ = ["Controller"]
