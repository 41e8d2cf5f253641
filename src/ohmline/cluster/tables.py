"""What the tables of all results share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.cluster.naming import ids_file, read_ids
from ohmline.cluster.rows import RowBlock
from ohmline.extras import require


def ids_of(block: RowBlock) -> Any:
    """The ids of a block's nodes: their own, or their positions."""
    arrow = require("pyarrow", "cluster")
    if ids_file(block.folder, block.number).exists():
        return read_ids(block.folder, block.number)
    return arrow.array(np.arange(block.first, block.first + block.n))
