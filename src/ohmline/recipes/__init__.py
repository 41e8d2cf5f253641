"""Recipes: what a project shows, learns and asks, in one function."""
