"""Preparing turns images and choices into a corpus, and remakes only what has changed."""

import numpy as np
import pytest

from pmlda_gui.core.errors import PmldaError
from pmlda_gui.core.progress import Progress
from pmlda_gui.imagery.features import PRESETS, fit_words
from pmlda_gui.imagery.scenes import make_scene, make_survey
from pmlda_gui.workspace.preparation import DocumentChoice, FeatureChoice, prepare
from tests.workspace.small_runs import COARSE, ENTROPY, FINE, LATTICE, MEAN, image, prepared


def test_every_valid_pixel_becomes_one_word_of_standardised_features() -> None:
    made = prepared()
    assert made.corpus.size == np.count_nonzero(image().valid)
    assert made.corpus.features == 2
    assert made.feature_names == ("mean", "std")
    # Words have no unit: their variance is 1 on average, and they come back in their units.
    assert made.corpus.words.var(axis=0).mean() == pytest.approx(1.0, rel=1e-3)
    features = made.features[0].values[image().valid]
    back = made.standardisation.invert(made.corpus.words)
    np.testing.assert_allclose(np.median(back, axis=0), np.median(features, axis=0), rtol=1e-3)


def test_only_the_words_on_the_lattice_are_learned_from() -> None:
    made, valid = prepared(LATTICE), image().valid
    assert made.stride == 4
    rows, columns = np.divmod(made.corpus.sources, image().shape[1])
    expected = np.zeros_like(valid)
    expected[2::4, 2::4] = True
    found = np.zeros_like(valid)
    found[rows, columns] = True
    np.testing.assert_array_equal(found, expected & valid)
    planes = made.standardised(0)
    np.testing.assert_allclose(made.corpus.words, planes[:, rows, columns].T, rtol=1e-6)
    owners = made.documents[0].labels[rows, columns]
    np.testing.assert_array_equal(made.corpus.document_of, owners)
    # All pixels are there for whoever wants them.
    assert len(made.words.words) == np.count_nonzero(valid)


@pytest.mark.parametrize("lattice", [-1, 1001])
def test_a_lattice_out_of_bounds_is_refused(lattice: int) -> None:
    with pytest.raises(PmldaError, match="between 0 and 1000"):
        FeatureChoice(lattice=lattice)


def test_a_choice_has_the_window_and_the_whitening_of_its_preset() -> None:
    usual = FeatureChoice()
    assert (usual.names, usual.window, usual.noise_window) == ("seabed", 31, 31)
    assert FeatureChoice("seabed", 15).noise_window == 15
    for name in ("seabed-fine", "paper-sas", "paper-sas-ripple", "paper-sunset"):
        assert FeatureChoice(name).window == PRESETS[name].window
        assert FeatureChoice(name).noise_window is None
    own = FeatureChoice(("mean", "std"))
    assert (own.window, own.noise_window) == (31, 31)
    assert FeatureChoice(("mean", "std"), noise="cells").noise_window is None


def test_the_choice_decides_how_words_are_whitened() -> None:
    scene = make_scene("very-wide", shape=(150, 140)).image
    spread, kept = (
        prepare([scene], FeatureChoice(("mean", "std"), 9, noise=noise), COARSE)
        for noise in ("differences", "cells")
    )
    values, valid = [spread.features[0].values], [scene.valid]
    for made, window in ((spread, 9), (kept, None)):
        expected = fit_words(values, valid, window=window)
        np.testing.assert_array_equal(made.standardisation.mixing, expected.mixing)
    assert not np.allclose(spread.standardisation.mixing, kept.standardisation.mixing)


def test_values_of_words_come_back_as_maps() -> None:
    made = prepared()
    (map_,) = made.words.scatter(made.words.words)
    expected = made.standardisation.apply(made.features[0].values)
    valid = image().valid
    np.testing.assert_allclose(map_[:, valid].T, expected[valid], rtol=1e-6, atol=1e-6)
    assert np.isnan(map_[:, ~valid]).all()


def test_images_given_together_form_one_corpus() -> None:
    images = [scene.image for scene in make_survey(2, shape=(60, 50))]
    made = prepare(images, MEAN, DocumentChoice("grid", 4))
    first, second = made.documents
    assert made.corpus.documents == first.count + second.count
    assert made.documents_of(1) == slice(first.count, first.count + second.count)
    maps = made.words.scatter(made.words.words)
    assert [each.shape for each in maps] == [(2, 60, 50)] * 2
    assert made.corpus.layout.images.tolist() == [0] * 3000 + [1] * 3000


def test_new_features_keep_the_documents_and_new_documents_the_features() -> None:
    before = prepared()
    other_features = prepare([image()], ENTROPY, COARSE, previous=before)
    assert other_features.documents is before.documents
    other_documents = prepare([image()], MEAN, FINE, previous=before)
    assert other_documents.features is before.features
    assert other_documents.documents is not before.documents


def test_what_is_taken_over_gives_the_same_words_as_making_it_anew() -> None:
    again = prepare([image()], MEAN, FINE, previous=prepared())
    np.testing.assert_array_equal(again.corpus.words, prepared(MEAN, FINE).corpus.words)
    np.testing.assert_array_equal(again.corpus.offsets, prepared(MEAN, FINE).corpus.offsets)


def test_features_that_depend_on_documents_are_remade_with_them() -> None:
    ripple = FeatureChoice(("mean", "ripple"), window=9)
    before = prepare([image()], ripple, DocumentChoice("grid", 4))
    after = prepare([image()], ripple, DocumentChoice("grid", 6), previous=before)
    assert after.features is not before.features


def test_progress_rises_to_one() -> None:
    seen: list[float] = []
    prepare(
        [image()], MEAN, COARSE, progress=Progress(lambda fraction, text: seen.append(fraction))
    )
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_two_preparations_are_alike_if_their_choices_are() -> None:
    labels = np.ones(image().shape, np.int32)
    drawn = DocumentChoice("labels")
    one = prepare([image()], MEAN, drawn, [labels])
    same = prepare([image()], MEAN, drawn, [labels.copy()])
    labels = labels.copy()
    labels[:60] = 2
    other = prepare([image()], MEAN, drawn, [labels])
    assert one.is_made_like(same)
    assert not one.is_made_like(other)
    assert not one.is_made_like(prepared())


def test_nothing_to_segment_is_a_sentence() -> None:
    with pytest.raises(PmldaError, match="open at least one"):
        prepare([])


def test_label_maps_must_be_as_many_as_images() -> None:
    with pytest.raises(PmldaError, match="1 images but 2 label maps"):
        prepare([image()], MEAN, COARSE, [None, None])


def test_documents_from_labels_need_a_label_map() -> None:
    with pytest.raises(PmldaError, match="has no label map"):
        prepare([image()], MEAN, DocumentChoice("labels"))
