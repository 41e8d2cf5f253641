"""The table of routes: what the server answers, who may ask, and what goes in and out."""

from __future__ import annotations

from ohmline.service.route import Route
from ohmline.service.routes import account, answers, files, operations, projects, reads

ROUTES: tuple[Route, ...] = (
    *account.ROUTES,
    *projects.ROUTES,
    *reads.ROUTES,
    *answers.ROUTES,
    *files.ROUTES,
    *operations.ROUTES,
)
