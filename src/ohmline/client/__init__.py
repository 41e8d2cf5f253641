"""A client of the service: a project behind an address as a Python object."""

from ohmline.client.admin import Admin as Admin
from ohmline.client.client import Client as Client
from ohmline.client.project import ProjectClient as ProjectClient
