"""A comparison by bits is the comparison."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ohmline.compiled import all_bits_if_above, compiled

SIZES = st.floats(min_value=0.0, allow_nan=False, allow_infinity=False).map(abs)


@compiled
def both_ways(value: float, limit: float) -> tuple[int, bool]:
    return all_bits_if_above(value, limit), value > limit


@given(value=SIZES, limit=SIZES, same=st.booleans())
def test_all_bits_are_set_where_a_number_is_above_another(value: float, limit: float, same: bool) -> None:
    for one, other in [(value, value if same else limit), (value, float(np.nextafter(value, 0.0)))]:
        mask, above = both_ways(one, other)
        assert mask == (-1 if above else 0)
    assert both_ways(0.0, 0.0) == (0, False)
    assert both_ways(5e-324, 0.0) == (-1, True)
    assert both_ways(0.0, 5e-324) == (0, False)
