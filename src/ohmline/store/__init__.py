"""Learners in files: saved whole, checked when they are loaded."""

from ohmline.store.models import load as load
from ohmline.store.models import save as save
