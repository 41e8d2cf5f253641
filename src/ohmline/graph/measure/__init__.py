"""What the bounds are made of: cuts, balances, distances, resistances, covers."""

from ohmline.graph.measure.connectivity import minimum_cut as minimum_cut
from ohmline.graph.measure.covers import Cover as Cover
from ohmline.graph.measure.covers import component_cover as component_cover
from ohmline.graph.measure.covers import component_separating_cover as component_separating_cover
from ohmline.graph.measure.covers import cover as cover
from ohmline.graph.measure.covers import separating_cover as separating_cover
from ohmline.graph.measure.cuts import balance as balance
from ohmline.graph.measure.cuts import cut as cut
from ohmline.graph.measure.cuts import imbalance as imbalance
from ohmline.graph.measure.distances import diameter as diameter
from ohmline.graph.measure.distances import eccentricities as eccentricities
from ohmline.graph.measure.distances import eccentricity as eccentricity
from ohmline.graph.measure.distances import geodesic as geodesic
from ohmline.graph.measure.distances import geodesic_matrix as geodesic_matrix
from ohmline.graph.measure.distances import geodesics_from as geodesics_from
from ohmline.graph.measure.paths import parallel_resistance as parallel_resistance
from ohmline.graph.measure.resistances import algebraic_connectivity as algebraic_connectivity
from ohmline.graph.measure.resistances import resistance as resistance
from ohmline.graph.measure.resistances import resistance_diameter as resistance_diameter
from ohmline.graph.measure.resistances import resistance_matrix as resistance_matrix
from ohmline.graph.measure.resistances import resistances_from as resistances_from
