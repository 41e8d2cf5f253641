"""The compiled form of a kernel: how a hypothesis is stored, read and moved.

| paper | here | meaning |
|---|---|---|
| v_i, K_i | `i` | the point of node i in the kernel's space |
| w, g | `w` | the hypothesis |
| K_ij | `entry(space, i, j)` | inner product of two points |
| K_ii | `sqlength(space, i)` | squared length of a point, in O(1) |

`Dense` keeps the hypothesis as its n values, so reading it costs O(1) and moving it O(n).
`Features` keeps it as d weights (plus n of its own when there is a ridge): O(d) for both.
`Columns` keeps values too, but holds only those columns that were fetched so far.
"""

from ohmline.kernel.space.columns import Columns as Columns
from ohmline.kernel.space.columns import MissingColumn as MissingColumn
from ohmline.kernel.space.contract import Space as Space
from ohmline.kernel.space.contract import may_miss_columns as may_miss_columns
from ohmline.kernel.space.dense import Dense as Dense
from ohmline.kernel.space.features import Features as Features
from ohmline.kernel.space.operations import bring as bring
from ohmline.kernel.space.operations import entry as entry
from ohmline.kernel.space.operations import entry_at as entry_at
from ohmline.kernel.space.operations import evaluate as evaluate
from ohmline.kernel.space.operations import shift as shift
from ohmline.kernel.space.operations import shift_apart as shift_apart
from ohmline.kernel.space.operations import sqdistance as sqdistance
from ohmline.kernel.space.operations import sqdistance_at as sqdistance_at
from ohmline.kernel.space.operations import sqlength as sqlength
from ohmline.kernel.space.operations import sqscale as sqscale
from ohmline.kernel.space.operations import values as values
