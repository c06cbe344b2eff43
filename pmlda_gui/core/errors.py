"""The errors an operator may see: each is one sentence that says what to do."""

__all__ = ["Cancelled", "PmldaError"]


class PmldaError(ValueError):
    """Something asked for cannot be done; the message is a sentence for the operator."""


class Cancelled(PmldaError):  # noqa: N818 (a wish of the operator's, not a mistake)
    """The operator stopped a piece of work; what was there before is unchanged."""
