"""Reads files into images, measures features, makes documents; synthetic scenes."""
