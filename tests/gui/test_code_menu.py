"""A topic gets its CMECS and S-57 codes from lists in the topics panel."""

from __future__ import annotations

import pytest

from pmlda_gui.gui.panels.topics_panel import TopicsPanel
from pmlda_gui.workspace.session import TopicLook
from pmlda_gui.workspace.vocabulary import CMECS, NATSUR, TopicCodes

pytestmark = pytest.mark.usefixtures("qapp")
LOOKS = (TopicLook(0, "dark", (1, 2, 3)), TopicLook(1, "bright", (4, 5, 6)))


@pytest.fixture
def panel():
    made = TopicsPanel()
    made.set_topics(LOOKS)
    made.list.setCurrentRow(1)
    yield made
    made.deleteLater()


def test_codes_are_chosen_one_list_after_the_other(panel):
    heard = []
    panel.topics_changed.connect(lambda looks, text: heard.append((looks, text)))
    panel.code_menu.aboutToShow.emit()
    panel.code_menu.lists["cmecs"]["S1.2.2.2"].trigger()
    panel.code_menu.lists["natsur"]["4"].trigger()
    looks, text = heard[-1]
    assert looks[1].codes == TopicCodes("S1.2.2.2", "4")
    assert looks[0].codes == TopicCodes()
    assert text == "Change the codes of bright"
    assert panel.list.item(1).toolTip() == "CMECS S1.2.2.2 Sand, S-57 4 sand"


def test_the_menu_shows_the_codes_of_the_current_topic_and_takes_them_away(panel):
    panel.set_topics((LOOKS[0], TopicLook(1, "bright", (4, 5, 6), codes=TopicCodes("S1.1.1"))))
    panel.list.setCurrentRow(1)
    panel.code_menu.aboutToShow.emit()
    assert panel.code_menu.lists["cmecs"]["S1.1.1"].isChecked()
    assert panel.code_menu.lists["natsur"][""].isChecked()
    panel.code_menu.lists["cmecs"][""].trigger()
    assert panel._looks[1].codes == TopicCodes()


def test_names_and_colours_go_back_but_codes_stay(panel):
    panel.code_menu.aboutToShow.emit()
    panel.code_menu.lists["natsur"]["9"].trigger()
    panel.reset.trigger()
    assert panel._looks[1].codes == TopicCodes(natsur="9")
    assert panel._looks[1].name == "topic 2"


def test_every_code_of_both_lists_can_be_chosen(panel):
    assert set(panel.code_menu.lists["cmecs"]) == {"", *CMECS}
    assert set(panel.code_menu.lists["natsur"]) == {"", *NATSUR}
