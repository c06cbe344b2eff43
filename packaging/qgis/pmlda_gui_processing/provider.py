"""The Processing provider, and the plugin that registers it."""

from __future__ import annotations

from qgis.core import QgsApplication, QgsProcessingProvider

from .algorithm import SegmentAlgorithm


class SegmentProvider(QgsProcessingProvider):
    """Offers the algorithm."""

    def id(self) -> str:
        return "pmlda"

    def name(self) -> str:
        return "PM-LDA"

    def loadAlgorithms(self) -> None:  # noqa: N802 (QGIS's name)
        self.addAlgorithm(SegmentAlgorithm())


class SegmentPlugin:
    """Adds the provider while the plugin is active."""

    def __init__(self) -> None:
        self._provider: SegmentProvider | None = None

    def initProcessing(self) -> None:  # noqa: N802 (QGIS's name)
        self._provider = SegmentProvider()
        QgsApplication.processingRegistry().addProvider(self._provider)

    def initGui(self) -> None:  # noqa: N802 (QGIS's name)
        self.initProcessing()

    def unload(self) -> None:
        if self._provider is not None:
            QgsApplication.processingRegistry().removeProvider(self._provider)
