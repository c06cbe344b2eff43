"""Dialogs: each asks one thing or tells one thing, and leaves the doing to the controller."""
