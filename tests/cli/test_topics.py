"""`pmlda-gui topics`, and `segment` with the topics it writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pmlda_gui.cli import main
from pmlda_gui.core.parameters import Parameters
from pmlda_gui.imagery.scenes import make_scene
from pmlda_gui.workspace.archive import save
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from pmlda_gui.workspace.replay import open_entries
from pmlda_gui.workspace.run import Run
from pmlda_gui.workspace.session import ImageEntry, Session, TopicLook

QUICK = ["--sweeps", "4", "--document-count", "8", "--threads", "1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A workspace with a short run on a scene, and another scene."""
    place = tmp_path_factory.mktemp("topics")
    for seed, name in ((1, "line 1.npy"), (2, "line 2.npy")):
        np.save(place / name, make_scene("demo", (90, 80), seed=seed).image.pixels)
    session = Session(
        images=(ImageEntry.of_file(place / "line 1.npy"),),
        features=FeatureChoice(("mean", "std"), window=9),
        documents=DocumentChoice("slic", 8),
        parameters=Parameters(2, smoothness=0.7, coupling=1.0),
        topics=(TopicLook(1, "mud", (1, 2, 3)),),
    )
    prepared = prepare(open_entries(session.images), session.features, session.documents)
    run = Run(prepared, session.parameters, threads=1)
    run.sweep(5)
    save(place / "survey.pmlda", session, run)
    run.close()
    return place


def test_topics_of_a_workspace_are_used_on_another_image(folder, tmp_path, capsys):
    topics = tmp_path / "seabed.topics"
    assert main(["topics", str(folder / "survey.pmlda"), "--out", str(topics)]) == 0
    assert "2 topics (mud, topic 1)" in capsys.readouterr().err
    out = tmp_path / "results"
    command = ["segment", str(folder / "line 2.npy"), "--out", str(out), *QUICK]
    assert main([*command, "--topics-from", str(topics), "--quiet"]) == 0
    assert (out / "line 2_unknown.tif").exists()
    assert "of the area is unknown" in capsys.readouterr().err
    before = (out / "line 2_memberships.tif").read_bytes()
    assert main([*command, "--topics-from", str(folder / "survey.pmlda"), "--quiet"]) == 0
    assert (out / "line 2_memberships.tif").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["topics", "{folder}/none.pmlda", "--out", "{out}/a.topics"], "no workspace"),
        (["topics", "{folder}/survey.pmlda", "--out", "{out}/a.json"], "name a.topics"),
        (["segment", "--out", "{out}"], "or a folder to --watch"),
        (["segment", "--watch", "{folder}", "--out", "{out}"], "give --topics-from"),
        (
            [
                "segment",
                "{folder}/line 2.npy",
                "--out",
                "{out}",
                "--topics-from",
                "{out}/no.topics",
            ],
            "no file of topics",
        ),
    ],
)
def test_what_cannot_be_done_ends_in_a_sentence(folder, tmp_path, capsys, arguments, sentence):
    words = [each.format(folder=folder, out=tmp_path) for each in arguments]
    assert main(words) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process at once there")
def test_a_watched_folder_is_segmented_until_the_program_is_told_to_end(folder, tmp_path):
    topics, coming = tmp_path / "seabed.topics", tmp_path / "coming"
    coming.mkdir()
    assert main(["topics", str(folder / "survey.pmlda"), "--out", str(topics), "--quiet"]) == 0
    (coming / "bad.tif").write_bytes(b"II*\0 no image at all")
    (coming / "line 2.npy").write_bytes((folder / "line 2.npy").read_bytes())
    out = tmp_path / "results"
    command = [
        sys.executable, "-m", "pmlda_gui", "segment", "--watch", str(coming), "--out", str(out),
        "--topics-from", str(topics), "--poll", "0.05", *QUICK,
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as running:
        until = time.monotonic() + 120
        while not (out / "line 2" / "report.html").exists() and time.monotonic() < until:
            assert running.poll() is None, running.stderr.read()
            time.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        _, told = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "left out: " in told
    assert "Traceback" not in told
    assert not list(out.rglob("*.unfinished"))
