"""The service: a project over HTTP, with its page."""
