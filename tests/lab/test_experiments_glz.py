"""The experiments of paper 003: their protocol, their pictures, and (slow) their claims."""

from __future__ import annotations

import numpy as np
import pytest

from ohmline.errors import DataError
from ohmline.game.vectors import Spirals
from ohmline.lab.experiment import REGISTRY, find, run
from ohmline.lab.experiments import glz2008 as glz
from ohmline.lab.experiments.glz2008 import Way
from ohmline.lab.experiments.glz2008_tree import Tree, cells, clip, crossing, draw_tree, swiss_roll
from ohmline.lab.plot import drawn

IDS = [f"glz2008-{name}" for name in ("runtime", "risk", "spirals", "mnist01", "mnist12", "drift", "leaves")]


def area(corners):
    """The shoelace formula."""
    x, y = np.asarray(corners).T
    return abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2


def random_tree(splits, rng):
    """A tree made by splitting random leaves, as the learner's own is laid out."""
    child = np.zeros((splits, 2), dtype=np.int64)
    leaves = [(-1, 0)]  # where each leaf hangs: (node, side)
    root = 0
    for node in range(splits):
        leaf = int(rng.integers(len(leaves)))
        above, side = leaves[leaf]
        if above >= 0:
            child[above, side] = node
        child[node] = -1 - leaf, -1 - len(leaves)
        leaves[leaf] = (node, 0)
        leaves.append((node, 1))
    return Tree(root, child, rng.standard_normal((splits, 2)), 0.3 * rng.standard_normal(splits))


@pytest.mark.parametrize("seed", range(10))
def test_the_leaves_tile_the_box_and_hold_their_points(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(12, rng)
    box = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    regions, segments = cells(tree, box)
    assert sum(area(cell.corners) for cell in regions) == pytest.approx(4.0)
    by_leaf = {cell.leaf: cell.corners for cell in regions}
    for x in rng.uniform(-1, 1, size=(50, 2)):
        corners = by_leaf[tree.leaf_of(x)]
        edges = np.roll(corners, -1, axis=0) - corners
        to_x = x - corners
        turns = edges[:, 0] * to_x[:, 1] - edges[:, 1] * to_x[:, 0]
        assert turns.min() > -1e-9  # left of every edge: inside
    assert all(depth >= 0 for _, depth in segments)


def test_clipping_keeps_one_side():
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    assert area(clip(square, np.array([1.0, 0.0]), 0.25)) == pytest.approx(0.25)
    assert len(clip(square, np.array([1.0, 0.0]), -1.0)) == 0
    ends = crossing(square, np.array([1.0, 0.0]), 0.25)
    assert sorted(ends[:, 1].tolist()) == [0.0, 1.0]
    assert ends[:, 0].tolist() == [0.25, 0.25]


def test_the_tree_of_the_swiss_roll_is_drawn():
    points, tree = swiss_roll(300, 8, seed=0)
    figure = drawn(lambda canvas: draw_tree(canvas, points, tree))
    assert len(figure.axes) == 1
    assert len(set(map(tree.leaf_of, points))) <= 8


def test_a_batch_method_sees_what_was_shown_and_no_more():
    stream = Spirals(label_rate=0.3).stream(200, seed=1)
    points, labels = glz.seen(stream, 50)
    assert points.shape == (50, 2)
    for label, truth, shown in zip(labels, stream.labels, stream.revealed, strict=False):
        assert label == (truth if shown else None)


def test_playing_on_is_playing_at_once():
    stream = Spirals().stream(700, seed=0)
    parts = Way.PRINTED.learner(glz.SPIRALS, glz.BUFFER_U)
    assert list(glz.learn_up_to(parts, stream, [100, 400, 700])) == [100, 400, 700]
    whole = Way.PRINTED.learner(glz.SPIRALS, glz.BUFFER_U)
    list(glz.learn_up_to(whole, stream, [700]))
    grid = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    np.testing.assert_array_equal(parts.average(grid), whole.average(grid))
    assert not np.array_equal(Way.PRINTED.function(whole)(grid), whole.function(grid))


def test_every_id_is_registered_and_named_by_itself():
    for id in IDS:
        assert id in REGISTRY
        assert find(id).id == id
        assert find(id).title


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_the_experiment_runs_and_its_pictures_draw(id):
    try:
        done = run(find(id), quick=True)
    except DataError as error:
        pytest.skip(f"data are missing: {error}")
    assert done.result.rows
    assert all(np.isfinite(row.ours) for row in done.result.rows)
    for draw in done.result.figures.values():
        assert drawn(draw).axes


@pytest.mark.slow
def test_the_figures_to_reach_on_spirals_and_under_drift():
    for id, wanted in (("glz2008-spirals", ("recommended steps", "unlabelled points pay")),
                       ("glz2008-drift", ("a constant proximal step", "with five replays"))):  # fmt: skip
        claims = run(find(id), quick=True).result.claims
        for words in wanted:
            found = [claim for claim in claims if words in claim.claim]
            assert len(found) == 1
            assert found[0].holds, found[0].detail
