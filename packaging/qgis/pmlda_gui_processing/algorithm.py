"""The algorithm "Segment seabed": parameters, the run of the program, and its results."""

from __future__ import annotations

import subprocess
from typing import Any

from qgis.core import (
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingParameterBand,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFile,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterNumber,
    QgsProcessingParameterRasterLayer,
)

from . import command

_NUMBER = QgsProcessingParameterNumber.Integer
_LOADED = ("LABELS", "TOPICS", "TRANSITIONS", "UNKNOWN")


class SegmentAlgorithm(QgsProcessingAlgorithm):
    """Runs `pmlda-gui segment` on a raster layer and loads what it writes."""

    def createInstance(self) -> SegmentAlgorithm:  # noqa: N802 (QGIS's name)
        return SegmentAlgorithm()

    def name(self) -> str:
        return "segment"

    def displayName(self) -> str:  # noqa: N802 (QGIS's name)
        return "Segment seabed"

    def shortHelpString(self) -> str:  # noqa: N802 (QGIS's name)
        return (
            "Divides a sonar mosaic softly into kinds of seabed (topics) with the installed "
            "program pmlda-gui. Writes memberships, their uncertainty, the most likely topics, "
            "polygons of topics and of the transitions between them, and a report. With topics "
            "found before, these are found again, and what none of them is is marked unknown."
        )

    def initAlgorithm(self, configuration: Any = None) -> None:  # noqa: N802 (QGIS's name)
        self.addParameter(QgsProcessingParameterRasterLayer("INPUT", "Sonar mosaic"))
        self.addParameter(
            QgsProcessingParameterNumber(
                "TOPICS", "Number of topics", _NUMBER, 3, minValue=2, maxValue=64
            )
        )
        self.addParameter(
            QgsProcessingParameterBoolean("AUTO_TOPICS", "Count kinds of seabed instead", False)
        )
        self.addParameter(
            QgsProcessingParameterFile(
                "TOPICS_FROM",
                "Topics found before",
                optional=True,
                fileFilter="Topics (*.topics *.pmlda)",
            )
        )
        self._add_advanced(
            QgsProcessingParameterEnum("FEATURES", "Features", command.FEATURES, defaultValue=0),
            QgsProcessingParameterBand(
                "BANDS", "Bands", parentLayerParameterName="INPUT", optional=True,
                allowMultiple=True,
            ),
            QgsProcessingParameterEnum("ESTIMATE", "Estimate", command.ESTIMATES, defaultValue=0),
            self._optional_number("DOCUMENT_COUNT", "Number of documents"),
            self._optional_number("SWEEPS", "Sweeps"),
            self._optional_number("SEED", "Seed", least=0),
            self._optional_number("THREADS", "Threads"),
            QgsProcessingParameterFile("EXECUTABLE", "Program", optional=True),
        )  # fmt: skip
        self.addParameter(QgsProcessingParameterFolderDestination("OUTPUT", "Results"))

    @staticmethod
    def _optional_number(name: str, text: str, least: int = 1) -> QgsProcessingParameterNumber:
        return QgsProcessingParameterNumber(name, text, _NUMBER, None, True, minValue=least)

    def _add_advanced(self, *parameters: QgsProcessingParameterDefinition) -> None:
        for each in parameters:
            each.setFlags(each.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
            self.addParameter(each)

    def processAlgorithm(  # noqa: N802 (QGIS's name)
        self, parameters: dict[str, Any], context: QgsProcessingContext, feedback: Any
    ) -> dict[str, str]:
        layer = self.parameterAsRasterLayer(parameters, "INPUT", context)
        try:
            values = {
                **parameters,
                "INPUT": command.source_file(layer.source()),
                "OUTPUT": self.parameterAsString(parameters, "OUTPUT", context),
                "BANDS": self.parameterAsInts(parameters, "BANDS", context),
                "FEATURES": self.parameterAsEnum(parameters, "FEATURES", context),
                "ESTIMATE": self.parameterAsEnum(parameters, "ESTIMATE", context),
            }
            program = self.parameterAsString(parameters, "EXECUTABLE", context)
            words = command.segment_command(command.find_executable(program), values)
        except command.CommandError as error:
            raise QgsProcessingException(str(error)) from error
        feedback.pushCommandInfo(" ".join(words))
        failed = command.reason(*self._run(words, feedback))
        if failed is not None:
            raise QgsProcessingException(failed)
        found = command.results(values)
        for name in _LOADED:
            if name in found:
                details = QgsProcessingContext.LayerDetails(
                    f"{layer.name()} {name.lower()}", context.project(), name
                )
                context.addLayerToLoadOnCompletion(found[name], details)
        return {"OUTPUT": values["OUTPUT"], **found}

    @staticmethod
    def _run(words: list[str], feedback: Any) -> tuple[int, list[str]]:
        """The program's exit code and what it said; it is ended when the user cancels."""
        lines: list[str] = []
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as running:
            assert running.stdout is not None
            for line in running.stdout:
                lines.append(line.rstrip())
                feedback.pushInfo(lines[-1])
                if feedback.isCanceled():
                    running.terminate()
        return running.returncode, lines
