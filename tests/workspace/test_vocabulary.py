"""Codes of topics come from lists, and go with a topic wherever it goes."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.workspace.export.report import report_values
from pmlda_gui.workspace.export.topics_csv import topics_table
from pmlda_gui.workspace.session import Session, TopicLook
from pmlda_gui.workspace.vocabulary import CMECS, NATSUR, TopicCodes
from tests.workspace.synthetic_results import synthetic_result


def test_codes_have_the_names_of_their_vocabularies():
    codes = TopicCodes("S1.2.2.2", "4")
    assert (codes.cmecs_name, codes.natsur_name) == ("Sand", "sand")
    assert TopicCodes().cmecs_name == ""


def test_every_cmecs_unit_stands_below_a_unit_of_the_list():
    for code in CMECS:
        parent, dot, _ = code.rpartition(".")
        assert not dot or parent in CMECS


def test_s57_has_thirteen_natures_of_surface():
    assert len(NATSUR) == 13
    assert all(code.isdecimal() for code in NATSUR)


@pytest.mark.parametrize("codes", [{"cmecs": "S9"}, {"natsur": "10"}])
def test_a_code_that_is_not_in_the_list_is_refused_in_a_sentence(codes):
    with pytest.raises(PmldaError, match="choose from the list"):
        TopicCodes(**codes)


def test_a_session_keeps_the_codes_of_its_topics():
    look = TopicLook(0, "ripples", (1, 2, 3), codes=TopicCodes("S1.2.2.2", "4"))
    session = Session(topics=(look,))
    assert Session.from_values(session.to_values()) == session


def test_a_session_from_before_there_were_codes_still_opens():
    values = Session(topics=(TopicLook(0, "ripples", (1, 2, 3)),)).to_values()
    del values["topics"][0]["codes"]
    assert Session.from_values(values).topics[0].codes == TopicCodes()


def test_tables_name_the_codes_where_there_are_any():
    codes = (TopicCodes("S1.2.2.2", "4"), TopicCodes(), TopicCodes("S1.1.1"))
    coded = replace(synthetic_result(), codes=codes)
    rows = list(csv.DictReader(io.StringIO(topics_table(coded).decode())))
    assert [row["CMECS"] for row in rows] == ["S1.2.2.2", "", "S1.1.1"]
    assert rows[0]["NATSUR name"] == "sand"
    assert b"CMECS" not in topics_table(synthetic_result())
    assert report_values(coded, [])["topics"][2]["cmecs"] == "S1.1.1"
