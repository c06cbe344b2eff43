"""Topics are shown in the operator's order, under the operator's names, merged as wished."""

from __future__ import annotations

from pmlda_gui.gui.view_request import arrange, default_topic
from pmlda_gui.workspace.session import TopicLook


def look(identity: int, name: str, merged_into: int | None = None) -> TopicLook:
    return TopicLook(identity, name, (10 * identity, 0, 0), merged_into)


def test_topics_without_looks_get_default_names_and_different_colours() -> None:
    shown = arrange((0, 1, 2), ())
    assert [topic.name for topic in shown] == ["topic 1", "topic 2", "topic 3"]
    assert [topic.members for topic in shown] == [(0,), (1,), (2,)]
    assert len({topic.colour for topic in shown}) == 3


def test_the_order_of_the_looks_is_the_order_of_display() -> None:
    shown = arrange((0, 1, 2), (look(2, "rock"), look(0, "sand"), look(1, "grass")))
    assert [(topic.name, topic.members) for topic in shown] == [
        ("rock", (2,)),
        ("sand", (0,)),
        ("grass", (1,)),
    ]


def test_a_topic_keeps_its_look_when_its_row_changes() -> None:
    looks = (look(0, "sand"), look(1, "grass"), look(2, "rock"))
    shown = arrange((0, 2, 5), looks)
    assert [(topic.name, topic.members) for topic in shown] == [
        ("sand", (0,)),
        ("rock", (1,)),
        ("topic 6", (2,)),
    ]


def test_a_merged_topic_is_added_to_the_other_through_a_chain_of_mergers() -> None:
    looks = (look(0, "sand"), look(1, "grass", merged_into=2), look(2, "weed", merged_into=0))
    (only,) = arrange((0, 1, 2), looks)
    assert only.name == "sand"
    assert sorted(only.members) == [0, 1, 2]


def test_a_merger_into_a_topic_that_has_gone_shows_the_topic_by_itself() -> None:
    shown = arrange((0, 1), (look(0, "sand"), look(1, "grass", merged_into=7)))
    assert [topic.name for topic in shown] == ["sand", "grass"]


def test_mergers_in_a_circle_lose_no_topic() -> None:
    looks = (look(0, "sand", merged_into=1), look(1, "grass", merged_into=0), look(2, "rock"))
    shown = arrange((0, 1, 2), looks)
    assert sorted(row for topic in shown for row in topic.members) == [0, 1, 2]


def test_default_topics_are_numbered_from_one() -> None:
    assert default_topic(4).name == "topic 5"
