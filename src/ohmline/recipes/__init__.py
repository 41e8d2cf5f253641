"""Recipes: what a project learns with and what it asks, in one function. Three are here, found by their names."""

from ohmline.recipes.shipped import RECIPES as RECIPES
from ohmline.recipes.shipped import demo as demo
from ohmline.recipes.shipped import find as find
