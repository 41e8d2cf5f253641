"""Specialists for the intervals of random lines: labels that change in clusters."""

from ohmline.learn.cluster_specialists.learner import ClusterSpecialists as ClusterSpecialists
