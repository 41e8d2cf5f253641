"""What the bounds are made of: cuts, balances, distances, resistances, covers."""

from ohmline.graph.measure.covers import (
    Cover,
    component_cover,
    component_separating_cover,
    cover,
    separating_cover,
)
from ohmline.graph.measure.cuts import balance, cut, imbalance
from ohmline.graph.measure.distances import (
    diameter,
    eccentricities,
    eccentricity,
    geodesic,
    geodesic_matrix,
    geodesics_from,
)
from ohmline.graph.measure.resistances import (
    algebraic_connectivity,
    resistance,
    resistance_diameter,
    resistance_matrix,
    resistances_from,
)

__all__ = [
    "Cover",
    "algebraic_connectivity",
    "balance",
    "component_cover",
    "component_separating_cover",
    "cover",
    "cut",
    "diameter",
    "eccentricities",
    "eccentricity",
    "geodesic",
    "geodesic_matrix",
    "geodesics_from",
    "imbalance",
    "resistance",
    "resistance_diameter",
    "resistance_matrix",
    "resistances_from",
    "separating_cover",
]
