"""The text of a menu entry without its shortcut marks."""

from __future__ import annotations

__all__ = ["plain_words"]


def plain_words(text: str) -> str:
    """The text without the ampersands of access keys and without trailing dots."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").rstrip("….")
