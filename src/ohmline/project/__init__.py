"""A project: a folder with a graph, its questions, and every answer that was ever given."""

from ohmline.project.host import Host as Host
from ohmline.project.project import Project as Project
from ohmline.project.recipe import Recipe as Recipe
from ohmline.project.settings import Settings as Settings
