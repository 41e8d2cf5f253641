"""Paper 003's "no regret": the risk that online manifold regularisation pays, against any fixed function."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.manifold_run import ManifoldRun, longest_point, manifold_run, smallest_loss
from ohmline.checks import none_or
from ohmline.errors import LabelError, ParameterError, ShapeError
from ohmline.game.trace import Trace
from ohmline.learn.batch import LapSVM, MultiviewSVM
from ohmline.learn.manifold import KernelFunction, Loss, Manifold, Multiview, Printed


@final
class ManifoldRegret(Bound):
    """Limits the regret of `OnlineManifold` with `Printed` steps over `Full`, and with it the mistakes (paper 003).

    For every function u, with g_t the gradient of J_t at f_t and eta_t = gamma / sqrt(t),

        sum_t J_t(f_t) - J_t(u) <= sum_t (||f_t - u||^2 - ||f_{t+1} - u||^2) / (2 eta_t)
                                   + sum_t eta_t / 2 ||g_t||^2 - lambda_1 / 2 sum_t ||f_t - u||^2,

    because J_t lies above its tangent at f_t, by at least lambda_1 / 2 ||u - f_t||^2. Everything on the right is
    measured in the game, which is played again. With ||f_t - u|| <= D and ||g_t|| <= G that is at most Zinkevich's
    (D^2 / (2 gamma) + gamma G^2) sqrt(T), the paper's no-regret guarantee.

    | paper | here |
    |---|---|
    | sum J_t(f_t), sum J_t(f*) | terms `paid` and `comparator`; T times J_air(T), and T J(f*) |
    | T (J_air(T) - J(f*)) | term `regret` |
    | the right-hand side above | term `regret_bound` |
    | Theorem 1 of Zinkevich 2003 | term `zinkevich`, with D and G as they were in the game |
    | the same before the game | term `beforehand`: finite where lambda_2 = 0, lambda_1 > 0 and the loss is Lipschitz |

    J_t is eq. (2), with T / l = 1 / `label_rate` as declared, over all earlier points. Their mean is J of eq. (1) where
    the declared rate is that of the stream; otherwise it is J with the loss weighted as declared. It is proven for
    `Full`, and for a `Buffer` that was never full. A buffer that lets points go descends eq. (7), another functional,
    and matching pursuit then moves f by something that no term here counts; a `Proximal` step is not a gradient step.
    For both the certificate is void.

    Differs: the paper applies Zinkevich's theorem "under mild conditions". Bounded gradients are not mild here. The
    graph term of J_t sums over t - 1 edges, so g_t grows with t: two points in turn make the printed step
    diverge, and the regret with it. Without the graph (lambda_2 = 0) the conditions hold, and `beforehand` is
    known before the first trial: ||f_t|| <= kappa T / (l lambda_1), ||g_t|| <= 2 kappa T / l, kappa^2 = max K(x, x).

    The certificate counts mistakes: each costs at least T / l times the loss at 0 (twice that for more than two
    classes), so there are at most (comparator + regret_bound) / (T/l c(0)). A comparator is a `KernelFunction`; without
    one the function 0 and the batch solution of the labels seen are tried, and the smaller limit counts.

    Examples
    --------
    >>> import ohmline as ohm
    >>> learner = ohm.OnlineManifold(
    ...     ohm.RBF(0.3), ohm.Full(), smoothness=ohm.Manifold(0.2), step=ohm.Printed(0.1), label_rate=1.0
    ... )
    >>> trace = ohm.play(learner, ohm.Spirals(label_rate=1.0).stream(60))
    >>> certificate = ManifoldRegret().certify(trace)
    >>> certificate.proven, certificate.terms["regret"] <= certificate.terms["regret_bound"]
    (True, True)
    """

    def certify(self, trace: Trace, comparator: KernelFunction | None = None) -> Certificate:
        """The certificate of a game.

        Parameters
        ----------
        trace
            A game of `OnlineManifold`.
        comparator
            A `KernelFunction` u over the learner's own kernel, of as many views and classes; a function of another
            space is refused. None (default) for the best of 0 and the batch solution.
        """
        none_or(_function, comparator, "comparator")
        run = manifold_run(trace)
        given = [comparator] if comparator is not None else [None, *batch_solution(run)]
        terms = min((regret_terms(run, u) for u in given), key=lambda found: found["limit"])
        limit = terms.pop("limit")
        hidden = int(np.count_nonzero(~trace.asked_at & trace.known))
        return Certificate(
            "paper 003, no regret (Zinkevich 2003)" + (", live" if comparator is None else ""),
            rounded_up(limit / (run.ratio * smallest_loss(run))),
            int((trace.charged & trace.asked_at).sum()),
            terms,
            (*_assumptions(run), run.fresh),
            hidden=hidden,
        )


def _function(value: Any, name: str) -> KernelFunction:
    if not isinstance(value, KernelFunction):
        raise ShapeError(
            f"{name} must be a KernelFunction, such as LapSVM's or learner.average, got {type(value).__name__}"
        )
    return value


def _assumptions(run: ManifoldRun) -> tuple[Assumption, ...]:
    options = run.learner.options
    known = isinstance(options.smoothness, Manifold | Multiview)
    return (
        run.whole,
        Assumption("the steps are gradient steps (Printed)", True, isinstance(options.step, Printed)),
        Assumption("the label rate was declared", True, options.label_rate is not None),
        Assumption("the regulariser is convex and at least 0, and its slopes are its derivatives", known),
    )


def regret_terms(run: ManifoldRun, u: KernelFunction | None) -> dict[str, float]:
    """What the proof sums, for one comparator; `limit` is at least the sum of the J_t(f_t)."""
    options, trials = run.learner.options, len(run.points)
    eta = options.step.gamma / np.sqrt(np.arange(1, trials + 1))
    costs, sqdist = run.charged_by(u)
    moves = sqdist[:-1] / (2 * eta), sqdist[1:] / (2 * eta)
    gradients = run.progress / eta**2
    convex = options.lambda_1 / 2 * sqdist[:-1]
    bound = float(np.sum(moves[0] - moves[1] + eta / 2 * gradients - convex))
    rounding = 1e-11 * float(
        np.sum(moves[0] + moves[1] + eta / 2 * gradients + convex)
        + np.abs(costs).sum()
        + np.abs(run.paid).sum()
    )
    farthest, steepest = float(sqdist[:-1].max(initial=0.0)), float(gradients.max(initial=0.0))
    gamma, comparator = options.step.gamma, float(costs.sum())
    return {
        "limit": comparator + bound + rounding,
        "paid": float(run.paid.sum()),
        "comparator": comparator,
        "regret": float(run.paid.sum()) - comparator,
        "regret_bound": bound + rounding,
        "zinkevich": (farthest / (2 * gamma) + gamma * steepest) * float(np.sqrt(trials)) + rounding,
        "beforehand": beforehand(run, 0.0 if u is None else float(np.sqrt(max(u.sqnorm, 0.0)))),
        "distance": float(np.sqrt(farthest)),
        "gradient": float(np.sqrt(steepest)),
    }


def beforehand(run: ManifoldRun, norm: float) -> float:
    """Zinkevich's constant for a comparator of that norm, from the options alone; infinite where there is none."""
    options = run.learner.options
    gamma, lambda_1 = options.step.gamma, options.lambda_1
    lipschitz = options.loss in (Loss.HINGE, Loss.LOGISTIC)
    if options.lambda_2 > 0 or lambda_1 == 0 or gamma * lambda_1 > 1 or not lipschitz:
        return float(np.inf)
    pull = run.ratio * float(np.sqrt(run.alpha.shape[2] * np.sum(longest_point(run) ** 2)))
    distance, steepest = pull / lambda_1 + norm, 2 * pull
    return rounded_up((distance**2 / (2 * gamma) + gamma * steepest**2) * float(np.sqrt(len(run.points))))


def batch_solution(run: ManifoldRun) -> list[KernelFunction]:
    """f* of the labels that were learned, where there are labels of every class and a batch solver for the risk."""
    options, learned = run.learner.options, np.asarray(run.signs.any(axis=1))
    classes = len(run.learner.classes)
    codes = np.where(run.signs[:, 0] > 0, 1, 0) if classes == 2 else run.signs.argmax(axis=1)
    if options.lambda_1 == 0 or len(set(codes[learned].tolist())) < classes:
        return []
    labels = [int(code) if learned[t] else None for t, code in enumerate(codes)]
    graph = options.smoothness
    try:
        if isinstance(graph, Multiview):
            views = MultiviewSVM(
                *graph.views,
                kernel=options.kernel,
                lambda_1=options.lambda_1,
                lambda_2=options.lambda_2,
                loss=options.loss,
            )
            return [views.fit(run.points, labels).function]
        if not isinstance(graph, Manifold):
            return []

        def weights(a: Floats, b: Floats) -> Floats:
            return np.array([graph.weights(b, x) for x in a])

        one = LapSVM(
            run.kernel, weights, lambda_1=options.lambda_1, lambda_2=options.lambda_2, loss=options.loss
        )
        return [KernelFunction.single(run.kernel, run.points, one.fit(run.points, labels).coefficients.T)]
    except (LabelError, ParameterError):  # any other function is a comparator too
        return []
