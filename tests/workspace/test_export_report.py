"""Tables, style, report and journal: complete, true, and readable without anything else."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.imagery.topic_palette import topic_colours
from pmlda_gui.workspace.export import check_targets, write_results
from pmlda_gui.workspace.export.html_report import report_page
from pmlda_gui.workspace.export.qgis_style import label_style
from pmlda_gui.workspace.export.report import report_values
from pmlda_gui.workspace.export.write import stems
from pmlda_gui.workspace.journal import Journal
from tests.workspace.synthetic_results import synthetic_image, synthetic_result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("results")
    write_results(synthetic_result(), place)
    return place


def test_every_file_of_a_run_is_there_and_nothing_else(folder):
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [
            "line 7_memberships.tif",
            "line 7_uncertainty.tif",
            "line 7_labels.tif",
            "line 7_polygons.gpkg",
            "line 7.png",
            "topics.csv",
            "report.json",
            "journal.json",
            "style.qml",
            "report.html",
        ]
    )


def test_topics_are_listed_in_the_units_of_the_features(folder):
    with (folder / "topics.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["topic"] for row in rows] == ["topic 1", "topic 2", "topic 3"]
    assert sum(float(row["share of area"]) for row in rows) == pytest.approx(1, abs=1e-4)
    means = [float(row["mean of mean [image unit]"]) for row in rows]
    # The image has bands of amplitude 1, 3 and 5; topics are numbered by brightness.
    assert means == sorted(means)
    assert means[0] < 2 < 4 < means[2]


def test_the_report_tells_what_was_done(folder):
    report = json.loads((folder / "report.json").read_text())
    assert report["settings"]["topics"] == 3
    assert report["settings"]["sweeps"] == 6
    assert report["sweeps"] == 6
    assert len(report["chains"][0]["log_joint"]) == 6
    assert set(report["seconds"]) >= {"documents", "features", "chain", "writing"}
    assert report["convergence"]["verdict"].startswith("too early to tell")
    assert {"numpy", "numba", "python"} <= set(report["versions"])
    assert report["steps"]["memberships"] > 0
    assert sorted(report["files"]) == sorted(path.name for path in folder.iterdir())


def test_the_journal_can_be_read_again(folder):
    stored = json.loads((folder / "journal.json").read_text())
    journal = Journal.from_values(stored["journal"])
    assert journal.start.parameters.topics == 3
    assert journal.sweeps == synthetic_result().journal.sweeps


def test_the_style_names_and_colours_each_label(folder):
    root = ElementTree.parse(folder / "style.qml").getroot()
    entries = root.findall(".//paletteEntry")
    assert [(entry.get("value"), entry.get("label")) for entry in entries] == [
        ("1", "topic 1"),
        ("2", "topic 2"),
        ("3", "topic 3"),
    ]
    assert entries[0].get("color") == "#0072b2"


class Page(HTMLParser):
    """Collects what a page refers to, and whether its tags are balanced."""

    def __init__(self):
        super().__init__()
        self.references, self.open, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.references += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_page_needs_no_other_file(folder):
    text = (folder / "report.html").read_text()
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.references
    assert all(reference.startswith("data:image/png;base64,") for reference in page.references)
    assert not re.search(r"https?://|url\(|@import", text)
    assert "prefers-color-scheme: dark" in text
    assert "<svg" in text


def test_the_page_says_in_words_what_was_done_and_what_to_heed(folder):
    page = Page()
    page.feed((folder / "report.html").read_text())
    assert "Partial Membership LDA with 3 topics" in page.text
    assert "6 sweeps" in page.text
    assert "too early to tell" in page.text


def story_of(result) -> str:
    page = Page()
    page.feed(report_page(result, report_values(result, []), ["line 7"], [b"png"]).decode())
    return page.text


def test_the_page_tells_windows_in_metres_where_pixels_have_a_size():
    assert "mean, std in windows of 31 pixels (16 m), and Partial" in story_of(synthetic_result())
    unknown = story_of(synthetic_result(georeference=None))
    assert "mean, std in windows of 31 pixels, and Partial" in unknown
    report = report_values(synthetic_result(), [])
    assert report["features_measured_in"] == "windows of 31 pixels (16 m)"


def test_the_page_speaks_of_the_topics_order_only_where_it_is_true():
    result = synthetic_result()
    (each,) = result.images
    turned = replace(each.segmentation, means=each.segmentation.means[::-1])
    assert "One image with 1,840 valid pixels was divided" in story_of(result)
    assert "Topics are numbered by the mean" in story_of(result)
    shuffled = replace(result, images=[replace(each, segmentation=turned)])
    assert "Topics are numbered by the mean" not in story_of(shuffled)


def test_the_page_writes_settings_and_the_date_as_a_person_would():
    recipe = synthetic_result().recipe
    fixed = replace(recipe.parameters, proportions=(1 / 3,) * 3, rate=63.0957)
    result = replace(synthetic_result(), recipe=replace(recipe, parameters=fixed))
    report = {**report_values(result, []), "finished": "2026-11-16T14:26:26+00:00"}
    page = report_page(result, report, ["line 7"], [b"png"]).decode()
    assert "fixed (0.3333, 0.3333, 0.3333)" in page
    assert "rate 63.1" in page
    assert "16 November 2026, 14:26 UTC" in page


def test_hostile_names_stay_text():
    result = replace(synthetic_result(), warnings=["<script>alert(1)</script>"])
    report = report_values(result, ["<b>.tif"])
    page = report_page(result, report, ["<img src=x>"], [b"png"]).decode()
    assert "<script>" not in page
    assert "<img src=x>" not in page
    assert "<b>.tif" not in page


def test_numbers_that_are_not_finite_do_not_spoil_the_report():
    result = replace(synthetic_result(), qualities=[-np.inf], steps={"memberships": np.nan})
    report = report_values(result, [])
    assert report["chains"][0]["quality"] is None
    json.dumps(report, allow_nan=False)


def test_images_of_one_name_get_files_of_their_own():
    images = [synthetic_image(source=name) for name in ("a/x.tif", "b/X.png", "x_2.tif", None)]
    assert stems(images) == ["x", "X_2", "x_2_2", "image"]


def test_results_are_never_written_over_the_image_itself(tmp_path):
    image = replace(synthetic_image(), source=Path(tmp_path) / "line.png")
    with pytest.raises(PmldaError, match=r"written over line.png itself"):
        check_targets(tmp_path, [image])
    check_targets(tmp_path / "results", [image])


def test_the_style_is_well_formed_whatever_topics_are_called():
    names = ['soft <mud> & "silt"', "bell\x07 and\ttab", "Schlick ü"]
    root = ElementTree.fromstring(label_style(names, topic_colours(3)).split(b"\n", 1)[1])
    labels = [entry.get("label") for entry in root.iter("paletteEntry")]
    assert labels == ['soft <mud> & "silt"', "bell andtab", "Schlick ü"]
