"""`pmlda-gui --self-test`: the program checks itself, in its window, as an operator would.

A built program carries hundreds of files, and most of them are missed only when they are
needed.  Each check does one thing an operator does and looks at what came of it.
"""

from __future__ import annotations

from pmlda_gui.gui.self_test.run import run_self_test

__all__ = ["run_self_test"]
