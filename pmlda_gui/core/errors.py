"""The errors an operator may see: each is one sentence that says what to do."""

__all__ = ["PmldaError"]


class PmldaError(ValueError):
    """Something asked for cannot be done; the message is a sentence for the operator."""
