"""Formats of other labelling programs."""
