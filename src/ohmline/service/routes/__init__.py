"""The handlers, by noun; each file ends with its part of the table of routes."""
