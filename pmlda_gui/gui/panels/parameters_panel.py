"""The right-hand panel: the model, the documents and the features of the session."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QSlider, QSpinBox, QWidget

from pmlda_gui.gui.panels.documents_section import DocumentsSection
from pmlda_gui.gui.panels.features_section import FeaturesSection
from pmlda_gui.gui.panels.model_section import ModelSection
from pmlda_gui.gui.panels.sampler_section import SamplerSection
from pmlda_gui.gui.panels.sections import scrolling_column
from pmlda_gui.gui.panels.value_control import NumberBox, keep_wheel_out
from pmlda_gui.workspace.session import Session

__all__ = ["ParametersPanel"]


class ParametersPanel(QWidget):
    """Shows a session's settings and tells what the operator changes.

    `parameters_changed` carries Parameters and a merge key, `documents_changed` a
    DocumentChoice, `features_changed` a FeatureChoice, `sampler_changed` a name;
    `label_map_requested` asks for a file with documents, `topic_count_requested` how many
    topics there are.
    """

    parameters_changed = Signal(object, str)
    documents_changed = Signal(object)
    features_changed = Signal(object)
    sampler_changed = Signal(str)
    label_map_requested = Signal()
    topic_count_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("parameters_panel")
        self.setAccessibleName("Parameters")
        self.model = ModelSection(self)
        self.documents = DocumentsSection(self)
        self.features = FeaturesSection(self)
        self.sampler = SamplerSection(self)
        scrolling_column(self, self.model, self.documents, self.features, self.sampler)
        keep_wheel_out(self, QSlider, NumberBox, QSpinBox, QComboBox)
        self.model.parameters_changed.connect(self.parameters_changed)
        self.model.how_many.clicked.connect(self.topic_count_requested)
        self.documents.documents_changed.connect(self.documents_changed)
        self.documents.label_map_requested.connect(self.label_map_requested)
        self.features.features_changed.connect(self.features_changed)
        self.sampler.sampler_changed.connect(self.sampler_changed)

    def set_session(self, session: Session) -> None:
        """Show the settings of a session without telling anyone."""
        self.model.set_parameters(session.parameters)
        self.model.set_hard(session.sampler != "fast")
        self.documents.set_choice(session.documents, session.label_file is not None)
        self.features.set_choice(session.features)
        self.sampler.set_sampler(session.sampler)
