"""The statements of the note on LocalLGC, each measured against dense algebra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline import data
from ohmline.arrays import Bools, Floats, Ints
from ohmline.bound import LocalLGCBound
from ohmline.game import Stream, play
from ohmline.graph import Graph, generate, knn
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.learn import LocalLGC

SHARES = (0.02, 0.2)
"""Labels as shares of the nodes, at which solves are looked at."""
LOOKS = 200
"""Nodes that are looked at for each share of labels."""
TOLERANCES = (1e-2, 1e-3, 1e-4)
MOMENTS = (100, 250, 500, 1000, 2000)
"""Labels after which the limits on the mistakes are looked at, and at the end."""


@dataclass(frozen=True)
class Case:
    """A labelled graph, small enough to be inverted."""

    name: str
    graph: Graph
    codes: Ints

    @property
    def classes(self) -> int:
        return int(self.codes.max()) + 1

    @property
    def is_signed(self) -> bool:
        return bool((self.graph.weights < 0).any())


def cases(quick: bool) -> list[Case]:
    """A generated graph without and with signs, a neighbour graph of digits, and Cora."""
    blocks = generate.stochastic_block_model([150] * 4, np.where(np.eye(4) > 0, 0.03, 0.004), seed=5)
    digits = data.load("digits")
    found = [
        Case("blocks", blocks.graph, blocks.groups),
        with_foes(5),
        Case("digits", knn(digits.points, 10), digits.labels),
    ]
    if not quick:
        cora = data.load("cora").largest_component()
        found.append(Case("cora", Graph.from_scipy(cora.graph.adjacency), cora.codes))
    return found


def with_foes(seed: int) -> Case:
    """Blocks within which most edges are positive, and between which most are negative."""
    made = generate.stochastic_block_model([150] * 4, np.where(np.eye(4) > 0, 0.03, 0.008), seed=seed)
    ends, rng = made.graph.edges(), np.random.default_rng(seed)
    friends = made.groups[ends[0]] == made.groups[ends[1]]
    friends ^= rng.random(len(friends)) < 0.1
    weights = np.where(friends, 1.0, -1.0)
    graph = Graph.from_columns(ends[0], ends[1], weights, nodes=range(made.graph.n), signed=True)
    return Case("blocks, signed", graph, made.groups)


@dataclass(frozen=True)
class Walked:
    """One game with exact solves: both sides of the identity, and what limits the mistakes."""

    summed: float
    """sum ||e_y - s_t||^2 mu / (mu + v_t)."""
    loss: float
    """R, the smallest regularised loss."""
    labels_loss: float
    """The same loss of the labels themselves: mu (2 Phi + ridge n)."""
    mistakes: int
    sorted_limit: int
    """How many of the smallest terms mu / (2 (mu + v_t)) fit into R."""
    regret: float
    """sum ||e_y - s_t||^2 - R."""
    log_det: float
    """2 log det (I + K / mu), 4 with signs, which limits the regret."""
    truncated: int
    """The mistakes of `LocalLGC` with its defaults in the same order."""
    estimate_error: float
    """How far its estimate of f is off at the end, on average over nodes and classes."""
    order: Ints
    wrong: Bools
    """Trial by trial, with exact solves."""
    losses: Floats
    """||e_y - s_t||^2 mu / (mu + v_t), trial by trial."""
    shares: Floats
    """mu / (mu + v_t)."""

    def so_far(self, labels: int) -> dict[str, float]:
        """Mistakes after so many labels, and what limits them."""
        shares, loss = self.shares[:labels], float(self.losses[:labels].sum())
        return {
            "mistakes": float(self.wrong[:labels].sum()),
            "R so far": loss,
            "at most (Corollary 1)": float(fitting(shares, loss)),
            "at most (Corollary 2)": float(2 * loss - np.log(shares).sum()),
        }


def fitting(shares: Floats, loss: float) -> int:
    """How many of the smallest terms mu / (2 (mu + v)) fit into the loss."""
    return int(np.searchsorted(np.cumsum(np.sort(shares / 2)), loss * (1 + 1e-9), side="right"))


def certified(case: Case, walked: Walked, labels: int) -> dict[str, float]:
    """Mistakes of `LocalLGC` with its defaults over so many labels, and what is certified of them."""
    order = walked.order[:labels]
    trace = play(LocalLGC(case.graph), Stream(order, case.codes[order]))
    return {"mistakes": float(trace.mistakes), "at most (certified)": LocalLGCBound().certify(trace).value}


def exact_game(case: Case, seed: int) -> Walked:
    """Ridge regression over the whole graph, one label at a time, by dense updates of Q^-1."""
    learner = LocalLGC(case.graph)
    mu, n = learner.mu, case.graph.n
    penalty = case.graph.laplacian().toarray() / learner.unit + learner.ridge * np.eye(n)
    inverse, truth = np.linalg.inv(penalty), np.eye(case.classes)[case.codes]
    estimate, variances, squares, wrong = (
        np.zeros_like(truth),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n, np.bool_),
    )
    order = np.random.default_rng(seed).permutation(n)
    for k, t in enumerate(order.tolist()):
        column, off = inverse[:, t].copy(), truth[t] - estimate[t]
        variances[k], squares[k] = column[t], off @ off
        others = np.delete(estimate[t], case.codes[t])
        wrong[k] = estimate[t, case.codes[t]] <= others.max()
        estimate += np.outer(column / (mu + column[t]), off)
        inverse -= np.outer(column, column / (mu + column[t]))
    trace = play(learner, Stream(order, case.codes[order]))
    kept = learner.state.estimate[:n, np.argsort(learner.classes)]  # learned in another order
    best = np.linalg.solve(np.eye(n) + mu * penalty, truth)
    loss = float(((best - truth) ** 2).sum() + mu * np.sum(best * (penalty @ best)))
    shares = mu / (mu + variances)
    return Walked(
        float(squares @ shares),
        loss,
        float(mu * np.sum(truth * (penalty @ truth))),
        int(wrong.sum()),
        fitting(shares, loss),
        float(squares.sum()) - loss,
        float((4 if case.is_signed else 2) * np.log1p(variances / mu).sum()),
        trace.mistakes,
        float(np.abs(kept - best).mean()),
        order,
        wrong,
        squares * shares,
        shares,
    )


@dataclass(frozen=True)
class Looked:
    """Solves at some nodes, each compared with Q^-1 and with f."""

    first_order: Floats
    """|f_t - b'x|, the largest of the classes, node by node."""
    second_order: Floats
    """|f_t - b'x - F'r|."""
    limit: Floats
    """||r||_1 times the largest error of F: what limits the second."""
    edges: Floats
    """Edges walked, as a share of their limit."""
    false_proofs: int
    proven: float
    """The share of nodes whose class is proven."""
    outside: int
    """Variances outside of their proven limits."""
    beyond: int
    """Entries of |Q^-1| above the same entry of M^-1, of the graph without signs."""
    whole: float
    """The largest sum of |f_tc| over the classes."""


def look(case: Case, share: float, tolerance: float, seed: int) -> Looked:
    """Teach a share of the labels, then solve at other nodes with one tolerance."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(case.graph.n)
    known, asked = np.split(order, [max(int(share * case.graph.n), 2)])
    asked = asked[:LOOKS]
    learner = LocalLGC(
        case.graph, range(case.classes), tolerance=tolerance, caution=float("inf"), guess=True, unit=1.0
    )
    learner.learn_many(known, case.codes[known])
    penalty = case.graph.laplacian().toarray() + learner.ridge * np.eye(case.graph.n)
    penalty[known, known] += 1 / learner.mu
    inverse, wanted = np.linalg.inv(penalty), np.zeros((case.graph.n, case.classes))
    wanted[known, case.codes[known]] = 1 / learner.mu
    f = inverse @ wanted
    off = float(np.abs(f - learner.state.estimate[: case.graph.n, : case.classes]).max())
    larger = inverse
    if case.is_signed:
        larger = np.linalg.inv(2 * np.diag(penalty.diagonal()) - np.abs(penalty))  # of M
    neighbours = np.diff(case.graph.indptr)
    steps = larger @ neighbours  # how long a walk is that ends where Q says
    rows: list[tuple[float, float, float, float]] = []
    false_proofs = proven = outside = 0
    for t in asked.tolist():
        scores = np.array(list(learner.scores_one(t).values()))
        base, found = learner.state.solve.base[: case.classes].copy(), learner.state.solve.found[0].copy()
        rows.append(
            (
                float(np.abs(f[t] - base).max()),
                float(np.abs(f[t] - scores).max()),
                float(found["residual"]) * off,
                (float(found["edges"]) - neighbours[t]) * tolerance / steps[t] if neighbours[t] else 0.0,
            )
        )
        proof = learner.certain_one(t, tolerance=tolerance)
        proven += proof.certain
        false_proofs += proof.certain and proof.prediction != int(f[t].argmax())
        within = proof.variance <= inverse[t, t] * (1 + 1e-9) <= proof.variance_at_most * (1 + 2e-9)
        outside += not within
    first, second, limit, edges = np.array(rows).T
    beyond = int(np.count_nonzero(np.abs(inverse) > larger * (1 + 1e-9) + 1e-12))
    whole = float(np.abs(f).sum(axis=1).max())
    return Looked(first, second, limit, edges, false_proofs, proven / len(asked), outside, beyond, whole)


def local_proofs(settings: Settings) -> Result:
    """Every statement on every graph."""
    rows: list[Row] = []
    claims: list[Claim] = []
    for case in cases(settings.quick):
        settings.tick(f"{case.name}: exact solves")
        walked = exact_game(case, settings.seed)
        rows += [
            Row(case.name, "exact solves", "mistakes", walked.mistakes),
            Row(case.name, "exact solves", "R", walked.loss),
            Row(case.name, "exact solves", "R of the labels themselves", walked.labels_loss),
            Row(case.name, "exact solves", "at most so many mistakes (Corollary 1)", walked.sorted_limit),
            Row(case.name, "exact solves", "regret in squared loss", walked.regret),
            Row(case.name, "exact solves", "its limit (Corollary 3)", walked.log_det),
            Row(case.name, "defaults", "mistakes", walked.truncated),
            Row(case.name, "defaults", "mean error of F in the end", walked.estimate_error),
        ]
        claims += _about(case, walked)
        for labels in [*(moment for moment in MOMENTS if moment < case.graph.n), case.graph.n]:
            settings.tick(f"{case.name}: limits after {labels} labels")
            method = f"after {labels} labels"
            rows += [Row(case.name, method, *each) for each in walked.so_far(labels).items()]
            if not settings.quick or labels == MOMENTS[0]:
                found_so_far = certified(case, walked, labels)
                rows += [Row(case.name, f"{method}, defaults", *each) for each in found_so_far.items()]
                claims.append(_kept(case, labels, found_so_far))
        seen: dict[tuple[float, float], Looked] = {}
        for share in SHARES:
            for tolerance in TOLERANCES:
                settings.tick(f"{case.name}: {share:.0%} labels, tolerance {tolerance:g}")
                seen[share, tolerance] = found = look(case, share, tolerance, settings.seed)
                method = f"{share:.0%} labels, tolerance {tolerance:g}"
                rows += [
                    Row.of(case.name, method, "error of b'x", found.first_order),
                    Row.of(case.name, method, "error of b'x + F'r", found.second_order),
                    Row(case.name, method, "proven classes", found.proven, runs=LOOKS),
                    Row.of(case.name, method, "edges over their limit", found.edges),
                ]
        claims += _of_solves(case, seen)
    return Result(
        rows, claims, notes=["Every number is compared with a dense inverse; see the note on LocalLGC."]
    )


def _kept(case: Case, labels: int, found: dict[str, float]) -> Claim:
    most = found["at most (certified)"]
    return _claim(
        f"{case.name}: after {labels} labels, no more mistakes with defaults than certified",
        found["mistakes"] <= most,
        f"{found['mistakes']:.0f} of at most {most:.0f}",
        "at most the certificate",
    )


def _about(case: Case, walked: Walked) -> list[Claim]:
    apart = abs(walked.summed / walked.loss - 1)
    return [
        _claim(
            f"{case.name}: Theorem 1, the weighted losses add up to R",
            apart < 1e-9,
            f"{apart:.1e} apart",
            "below 1e-9",
        ),
        _claim(
            f"{case.name}: Corollary 1, no more mistakes than terms that fit into R",
            walked.mistakes <= walked.sorted_limit,
            f"{walked.mistakes} of at most {walked.sorted_limit}",
            "at most the limit",
        ),
        _claim(
            f"{case.name}: Corollary {'5' if case.is_signed else '3'}, the regret is at most "
            f"{4 if case.is_signed else 2} log det (I + K / mu)",
            walked.regret <= walked.log_det,
            f"{walked.regret:.1f} of at most {walked.log_det:.1f}",
            "at most the limit",
        ),
    ]


def _of_solves(case: Case, seen: dict[tuple[float, float], Looked]) -> list[Claim]:
    every = list(seen.values())
    beyond = sum(int(np.sum(found.second_order > found.limit * (1 + 1e-9) + 1e-12)) for found in every)
    gain = float(
        np.mean([found.second_order.mean() / max(found.first_order.mean(), 1e-300) for found in every])
    )
    dearest = max(float(found.edges.max()) for found in every)
    three, four, five = ("8", "9", "10") if case.is_signed else ("3", "4", "5")
    comparison = _claim(
        f"{case.name}: Proposition 7, no entry of Q^-1 exceeds that of M^-1, and |f_t| sums to at most 1",
        all(found.beyond == 0 and found.whole <= 1 + 1e-9 for found in every),
        f"{sum(found.beyond for found in every)} above; sums of at most {max(found.whole for found in every):.3f}",
        "none above, sums at most 1",
    )
    return [
        *([comparison] if case.is_signed else []),
        _claim(
            f"{case.name}: Proposition 2, the corrected score is off by at most ||r||_1 times the error of F",
            beyond == 0,
            f"{beyond} of {len(every) * LOOKS} beyond; its error is {gain:.2f} of that of b'x on average",
            "none beyond",
        ),
        _claim(
            f"{case.name}: Proposition {three}, every proven class is that of the exact scores",
            not any(found.false_proofs for found in every),
            f"{sum(found.false_proofs for found in every)} false",
            "none false",
        ),
        _claim(
            f"{case.name}: Proposition {four}, every variance lies within its proven limits",
            not any(found.outside for found in every),
            f"{sum(found.outside for found in every)} outside",
            "none outside",
        ),
        _claim(
            f"{case.name}: Proposition {five}, a solve walks at most (length of the killed walk) / tolerance edges",
            dearest <= 1,
            f"at most {dearest:.2f} of the limit",
            "at most 1",
        ),
    ]


def _claim(claim: str, holds: Any, detail: str, threshold: str) -> Claim:
    return Claim(claim, bool(holds), detail, threshold=threshold, ours=True)


EXPERIMENTS = {
    "local-lgc-proofs": Experiment(
        "local-lgc-proofs",
        "LocalLGC: its theorem, its correction and its cost against dense algebra",
        "beyond the papers",
        ("cora",),
        local_proofs,
    )
}
