"""The class of every node of a graph that no single machine holds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from ohmline.checks import count, instance, non_negative, positive
from ohmline.cluster.conjugate import averaged, conjugate_gradients
from ohmline.cluster.engine import Cluster
from ohmline.cluster.labels import class_table, expect_known, read_known, sent, settled, unknown
from ohmline.cluster.loading import load
from ohmline.cluster.manifest import Manifest, finish, result_folder
from ohmline.cluster.matrices import largest_residual, system, target_of, totals
from ohmline.cluster.parts import edge_parts
from ohmline.cluster.spread import CHECKPOINT, SpreadRows
from ohmline.cluster.tables import write_predictions
from ohmline.learn.contract import TIE
from ohmline.learn.local_lgc.chances import FLOOR
from ohmline.learn.local_lgc.limits import LARGEST, mu_of, within
from ohmline.progress import Advance, reporting

LIVE = 8
"""Blocks of columns that are there at once in the iteration."""


def predict(
    edges: str | os.PathLike[str],
    labels: Any,
    out: str | os.PathLike[str],
    cluster: Cluster,
    *,
    classes: Iterable[Any] | None = None,
    ridge: float = 0.1,
    mu: float | None = None,
    unit: float | None = None,
    steps: int | None = 12,
    tolerance: float = 1e-6,
    skip_unknown: bool = False,
    header: bool | None = None,
    node: str | int | None = None,
    label: str | int | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | Literal[False] | None = None,
    numbered: bool = True,
    nodes: int | None = None,
    parallel: Any = None,
    blocks: int | None = None,
    checkpoint: float = CHECKPOINT,
    progress: Advance | bool | None = None,
) -> Manifest:
    """Write a prediction for every node, from the labels of some, for edges in partitioned Parquet.

    The system is that of `LocalLGC`: Q f = b with Q = L + ridge + (1/mu where a node is labelled), for all classes at
    once. With few labels its exact solution hears the large classes of the whole graph more than a node's surroundings,
    so `steps` rounds of averaging stop short of it, as `LocalLGC.predict_many` does on one machine, and each class is
    then divided by the root of its total. A node further than `steps` edges from every label is "don't know". With
    `steps=None` the scores are the exact f, within `tolerance`: what the certificates of `LocalLGC` speak of, which
    agrees with it wherever it says `certain`.

    Parameters
    ----------
    edges, source, target, weight, numbered, nodes, parallel, blocks, checkpoint, progress
        As for `embed`.
    labels
        A mapping of nodes to labels, or a file of them as `ohmline.graph.read_labels` reads it. It is held in this
        process.
    out
        The folder to write, which must not exist: parts with the columns `node`, `label`, `prediction`, `probability`,
        `margin`, `known`, `certain` and a probability for each class, and `_manifest.json` with their counts.
    cluster
        The workers.
    classes
        All classes, in the order in which ties are decided; None (default) for those of the labels.
    ridge
        Added to the diagonal of the Laplacian, above 0. Default 0.1.
    mu
        How little a label counts, above 0; None (default) follows the number of neighbours, as for `LocalLGC`.
    unit
        One unit of weight, above 0; None (default) for the mean weight of the graph.
    steps
        Rounds of averaging over neighbours, at least 1; None for the exact solution. Default 12.
    tolerance
        How far a score of the exact solution may be off, above 0; a class is certain where its lead is twice that.
        Without the exact solution none is. Default 1e-6.
    skip_unknown
        Whether labels of nodes that the graph does not have are left out. By default they are an error.
    header, node, label
        Where `labels` is a file: whether its first row names the columns, and which are those of nodes and labels, as
        for `ohmline.graph.read_labels`; None (default) sees that from the rows and from the nodes of the graph.

    Returns
    -------
    Manifest
        The parts; `about` has the classes, how many nodes are predicted to be of each, and the proven error.
    """
    instance(cluster, Cluster, "cluster", "make one with Cluster.connect or Cluster.local")
    ridge = within(ridge, "ridge", least=1 / LARGEST, most=LARGEST)
    asked = None if mu is None else within(mu, "mu", least=1 / LARGEST, most=LARGEST)
    tolerance = positive(tolerance, "tolerance")
    checkpoint = non_negative(checkpoint, "checkpoint")
    rounds = None if steps is None else count(steps, "steps", least=1)
    parts = edge_parts(edges, source, target, weight)
    known, doubted = read_known(labels, integers=parts.integers, header=header, node=node, label=label)
    codes = class_table(known, classes if doubted is None else None)
    with result_folder(out) as folder:
        layout = load(
            cluster,
            parts,
            folder / "work",
            numbered=numbered,
            nodes=nodes,
            parallel=parallel,
            blocks=blocks,
            columns=len(codes)
            + (doubted is not None),  # a first row that is a label may have a class of its own
            live=LIVE,
        )
        known = settled(known, doubted, layout, integers=parts.integers)
        codes = class_table(known, classes)
        one = layout.mean_weight if unit is None else within(unit, "unit")
        slack = mu_of(layout.n, layout.entries) if asked is None else asked
        given = sent(known, codes, layout, integers=parts.integers, skip=skip_unknown)
        with SpreadRows(cluster, layout, columns=len(codes), live=LIVE, checkpoint=checkpoint) as rows:
            expect_known(rows.read(unknown, given=given), skip=skip_unknown)
            rows.shape(system, ridge, slack, one, given=given, unit=one)
            right = rows.new(target_of, slack, len(codes), given=given)
            with reporting(progress, "solving", None) as advance:
                if rounds is None:
                    found = conjugate_gradients(
                        rows, right, lambda r: max(rows.read(largest_residual, r)), tolerance * ridge, advance
                    )
                else:
                    found = averaged(rows, right, rounds, advance)
            # Q has row sums of at least ridge and no positive entry off the diagonal: ||Q^-1|| <= 1/ridge.
            error = found.left / ridge
            scores = rows.rescaled(found.block)
            balance = np.ones(len(codes))
            if rounds is not None:
                mass = np.sum(rows.read(totals, scores), axis=0)
                balance[mass > 0] = np.sqrt(mass[mass > 0].min(initial=np.inf) / mass[mass > 0])
            written = rows.read(
                write_predictions, scores, folder, tuple(codes), balance, error, TIE, FLOOR, given=given
            )
            losses = rows.losses
        counts = np.sum([each for _, each in written], axis=0).tolist()
        about = {
            "nodes": layout.n,
            "edges": layout.entries // 2,
            "labelled": int(counts[-1]),
            "unreached": int(counts[-2]),
            "classes": [str(name) for name in codes],
            "counts": {str(name): int(counts[code]) for name, code in codes.items()},
            "error": error if rounds is None else None,
            "products": found.steps,
            "lost_workers": losses,
        }
        return finish(folder, "predictions", [part for part, _ in written], about)
