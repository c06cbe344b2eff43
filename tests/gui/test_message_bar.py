"""The bar above the pictures says what was left out, and keeps saying it beside notes."""

from __future__ import annotations

import pytest

from pmlda_gui.gui.message_bar import MessageBar


@pytest.fixture
def bar(qtbot) -> MessageBar:
    made = MessageBar()
    qtbot.addWidget(made)
    return made


def test_files_left_out_are_counted_and_told_with_their_reasons(bar: MessageBar) -> None:
    bar.show_refused(["R&D <1>.png is empty."])
    assert bar.text == "1 file was left out. R&D <1>.png is empty."
    bar.show_refused([f"{number}.png is empty." for number in range(6)])
    assert bar.text.startswith("6 files were left out. 0.png is empty. 1.png")
    assert bar.text.endswith("3.png is empty. There are 2 more: see the tooltip.")


def test_notes_do_not_hide_what_was_left_out(bar: MessageBar) -> None:
    bar.show_refused(["a.png is empty."])
    bar.show_notes(["The data are complex."])
    assert bar.text == "1 file was left out. a.png is empty. The data are complex."


@pytest.mark.parametrize("how", ["closed", "replaced"])
def test_what_was_left_out_is_not_told_again(bar: MessageBar, how: str) -> None:
    bar.show_refused(["a.png is empty."])
    if how == "closed":
        bar.dismiss()
    else:
        bar.show_warning("Something else.")
    bar.show_notes(["The data are complex."])
    assert bar.text == "The data are complex."
