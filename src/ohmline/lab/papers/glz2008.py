"""What is numbered or named in paper 003, Goldberg, Li and Zhu 2008."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

ORACLE = ("learn/test_manifold.py::test_agrees_with_the_literal_algorithm_trial_by_trial",)
GRADIENT = ("learn/test_manifold_risk.py::test_a_printed_step_is_minus_eta_times_the_gradient",)
RUNS = ("lab/test_experiments_glz.py::test_the_experiment_runs_and_its_pictures_draw",)
RISKS = ("learn/test_manifold_risk.py::test_risks_of_many_classes_and_views",)

PAPER = Paper(
    "glz2008",
    "003: Online manifold regularization",
    (
        Item(
            "Section 2",
            "the setting: a stream of points, few with a label",
            ("learn.OnlineManifold.learn_one", "game.VectorSource"),
            ("game/test_vectors.py::test_streams_hide_labels_from_the_learner_and_not_from_the_trace",),
        ),
        Item(
            "Section 2.1, i",
            "manifold regularisation",
            ("learn.Manifold", "learn.LapSVM"),
            ("learn/test_batch_lapsvm.py::test_risk_is_equation_1_at_the_solution",),
        ),
        Item(
            "Section 2.1, ii",
            "multiview learning, in batch and online",
            ("learn.Multiview", "learn.MultiviewSVM"),
            (
                "learn/test_batch_multiview.py::test_nothing_has_a_smaller_risk_than_the_solution",
                "learn/test_manifold.py::test_multiview_agreement_teaches_the_view_without_labels",
            ),
            "With 1/T before the sum, as the manifold's has; without it J would not be the mean of the J_t",
        ),
        Item(
            "Section 2.1, iii",
            "semi-supervised SVM: the hat loss",
            because="Not convex, so nothing of section 2.2 holds for it. The learner runs it as a Smoothness of one's "
            "own (docs/guide/streams.md); test_a_semi_supervised_svm_is_not_convex_and_has_no_guarantee of "
            "bound/test_manifold_regret.py shows that the bound fails",
        ),
        Item(
            "Section 2.2",
            "any convex risk has an online algorithm",
            ("learn.Smoothness",),
            ("learn/test_manifold.py::test_any_convex_regulariser_is_a_small_class",),
        ),
        Item(
            "Eq. (1)",
            "the batch risk J",
            ("learn.ManifoldRisk.batch", "learn.LapSVM"),
            ("learn/test_batch_lapsvm.py::test_risk_is_equation_1_at_the_solution", *RISKS),
        ),
        Item(
            "Eq. (2)",
            "the instantaneous risk J_t",
            ("learn.ManifoldRisk.instantaneous",),
            RISKS,
            "Also for many classes, views, and regularisers of one's own",
        ),
        Item(
            "Proposition 1",
            "J is the mean of the J_t",
            ("learn.ManifoldRisk",),
            ("learn/test_manifold_risk.py::test_proposition_1", *RISKS),
        ),
        Item("Eq. (3)", "the gradient step", ("learn.Printed",), GRADIENT),
        Item(
            "J_air",
            "the average instantaneous risk",
            ("learn.ManifoldRisk.paid",),
            ("learn/test_manifold_risk.py::test_what_a_learner_pays", *RISKS),
        ),
        Item(
            "No regret",
            "J_air - J(f*) falls to 0 (Theorem 1 of Zinkevich 2003)",
            ("bound.ManifoldRegret", "learn.ManifoldRisk.regret"),
            (
                "bound/test_manifold_regret.py::test_five_thousand_random_games_never_beat_it",
                "bound/test_manifold_regret.py::test_five_hundred_greedy_games_never_beat_it",
                "bound/test_manifold_regret.py::test_with_the_graph_gradients_are_not_bounded_and_regret_does_not_fall",
                "bound/test_manifold_regret.py::test_a_dropped_assumption_makes_it_void_and_false",
            ),
            "Measured constants for Full with Printed steps; known beforehand without the graph. With it the gradients "
            "grow with t, and the claim is false without that assumption",
        ),
        Item(
            "Eq. (4)",
            "f_t as an expansion over the points",
            ("learn.KernelFunction", "learn.OnlineManifold.function"),
            ("learn/test_manifold.py::test_prediction_is_pure_and_values_are_those_of_the_function",),
        ),
        Item("Eq. (5)", "the gradient of J_t", ("learn.Printed",), GRADIENT),
        Item(
            "Hinge loss",
            "c and its subgradient",
            ("learn.Loss",),
            ("learn/test_manifold_risk.py::test_slopes_of_losses",),
        ),
        Item("Eq. (6)", "the update of the coefficients", ("learn.Full",), ORACLE),
        Item("Algorithm 1", "online manifold regularisation", ("learn.OnlineManifold", "learn.Full"), ORACLE),
        Item(
            "f-bar",
            "the average function, and its risk on points to come [17]",
            ("learn.OnlineManifold.average", "bound.AverageBound"),
            (
                "learn/test_manifold.py::test_averaged_prediction_uses_the_average",
                "bound/test_manifold_average.py::test_it_holds_at_least_as_often_as_it_says",
                "bound/test_manifold_average.py::test_sorted_labels_are_not_drawn_independently_and_refute_it",
            ),
            "For the loss; with a graph the J_t are no independent draws of one risk",
        ),
        Item(
            "Eq. (7)",
            "the risk over a buffer",
            ("learn.Buffer",),
            (*GRADIENT, *ORACLE),
            "The factor is (t - 1) / (points in the buffer), which is 1 while it fills",
        ),
        Item(
            "Eq. (8)",
            "the update over a buffer",
            ("learn.Buffer",),
            (*GRADIENT, *ORACLE),
            "With t / tau on every coefficient; as printed it is not the gradient of (7)",
        ),
        Item(
            "Eq. (9)",
            "what leaves is spread by matching pursuit",
            ("learn.Pursuit",),
            ("learn/test_manifold.py::test_pursuit_keeps_what_it_can", *ORACLE),
        ),
        Item("Buffer", "the oldest point leaves", ("learn.Keep.NEWEST",), ORACLE),
        Item("Buffer-U", "the oldest unlabelled point leaves", ("learn.Keep.LABELLED",), ORACLE),
        Item(
            "Section 3.2",
            "a random projection tree: its leaves, their means and counts",
            ("learn.RPTree", "learn.Split.PRINTED"),
            ("learn/test_manifold_tree.py::test_agrees_with_the_literal_tree",),
            "At most `leaves` of them; the paper's tree grows without a limit",
        ),
        Item(
            "Appendix I of [22]",
            "the rule of the tree's splits in full",
            because="It is in a report that the paper refers to and does not print; Split.PRINTED is what the paper "
            "says of it",
        ),
        Item("Eq. (10)", "the risk over the leaves", ("learn.RPTree",), GRADIENT),
        Item(
            "Eq. (11)",
            "RPtree PPK: the mean weight to a leaf",
            ("learn.RPTree",),
            ("learn/test_manifold_risk.py::test_ppk_weights_are_the_expected_weights",),
            "In a form that needs no inverse covariance; the printed sign before the last term is wrong",
        ),
        Item(
            "Figure 1",
            "a tree on the swiss roll",
            ("reproduce glz2008-spirals",),
            ("lab/test_experiments_glz.py::test_the_tree_of_the_swiss_roll_is_drawn",),
        ),
        Item("Figure 2", "growth of the run time", ("reproduce glz2008-runtime",), RUNS),
        Item("Figure 3", "J_air approaches J(f*)", ("reproduce glz2008-risk",), RUNS),
        Item("Figure 4(a)", "error on spirals", ("reproduce glz2008-spirals",), RUNS),
        Item(
            "Figure 4(b), (c)",
            "error on MNIST",
            ("reproduce glz2008-mnist01", "reproduce glz2008-mnist12"),
            RUNS,
        ),
        Item(
            "Figure 4(d)",
            "error on Face",
            because="The extended MIT face data are not in the catalog; `game.Images` takes a copy of one's own",
        ),
        Item("Figure 5", "rotating spirals", ("reproduce glz2008-drift",), RUNS),
        Item(
            "Section 5, complexity",
            "O(T) with a buffer, O(T log T) with a tree, O(T^2) with all points",
            ("reproduce glz2008-runtime",),
            RUNS,
            "With all points it is the cube: a fixed width makes the neighbours a fixed share of t",
        ),
        Item(
            "Open: fast neighbour search",
            "fewer candidates in matching pursuit",
            because="Not needed at 300 elements: a pursuit is one pass over a kept row of the Gram matrix per atom",
        ),
        Item(
            "Open: non-convex risks",
            "S3VM online",
            because="Runs as a Smoothness of one's own, without a guarantee; see section 2.1, iii",
        ),
        Item(
            "Open: other notions of regret",
            "which are right for this setting",
            because="A question of theory; a proximal step of eq. (2) has no certificate here",
        ),
        Item(
            "Open: guarantees under drift",
            "regret against a changing function",
            because="A question of theory; drift is followed by experiment only (glz2008-drift)",
        ),
        Item(
            "Open: models without all previous points",
            "a graph term that does not sum over the whole past",
            ("learn.Proximal",),
            ("learn/test_manifold_repeats.py::test_the_neighbours_of_a_point_weigh_half_a_label_at_most",),
            "Ours: with proximal steps the neighbours of a point weigh at most half a label",
        ),
        Item(
            "Leaves (ours)",
            "how many leaves a tree needs, which the paper does not say",
            ("reproduce glz2008-leaves",),
            RUNS,
        ),
    ),
)
