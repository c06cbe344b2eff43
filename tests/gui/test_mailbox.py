"""The mailbox keeps the newest letter and every scalar."""

from __future__ import annotations

import threading

from pmlda_gui.gui.mailbox import Mailbox, Scalar


def test_a_new_letter_replaces_the_one_before() -> None:
    box: Mailbox[str] = Mailbox()
    box.put("old")
    box.put("new")
    assert box.take() == ("new", [])


def test_taking_empties_the_box() -> None:
    box: Mailbox[str] = Mailbox()
    box.put("letter")
    box.note(Scalar(1, 1, -1.0))
    box.take()
    assert box.empty
    assert box.take() == (None, [])


def test_scalars_wait_for_the_next_taking_even_without_a_letter() -> None:
    box: Mailbox[str] = Mailbox()
    scalars = [Scalar(1, sweep, float(sweep)) for sweep in range(5)]
    for scalar in scalars:
        box.note(scalar)
    assert box.take() == (None, scalars)


def test_no_scalar_is_lost_or_doubled_between_two_threads() -> None:
    box: Mailbox[int] = Mailbox()
    count = 20_000

    def write() -> None:
        for sweep in range(count):
            box.note(Scalar(1, sweep, 0.0))
            box.put(sweep)

    writer = threading.Thread(target=write)
    writer.start()
    seen: list[int] = []
    letters: list[int] = []
    while True:
        alive = writer.is_alive()
        letter, scalars = box.take()
        seen += [scalar.sweep for scalar in scalars]
        if letter is not None:
            letters.append(letter)
        if not alive and letter is None and not scalars:
            break
    writer.join()
    assert seen == list(range(count))
    assert letters == sorted(letters)
    assert letters[-1] == count - 1
