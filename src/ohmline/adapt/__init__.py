"""Ohmline behind the interfaces of scikit-learn, river, networkx and databases.

Each module is imported only when asked for (`import ohmline.adapt.sklearn`), and none is
imported by the rest of the package.
"""
