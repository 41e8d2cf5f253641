"""What is numbered in paper 000, Herbster, Pontil and Wainer 2005."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

BOX = "learn/test_projection.py::test_every_trial_equals_the_box_in_exact_arithmetic"
KERNEL = "kernel/test_kernels.py::test_laplacian_kernel_is_the_pseudoinverse"
NEVER = "bound/test_projection.py::test_theorems_3_2_and_5_1_are_never_beaten"
ATTACK = "bound/test_comparators.py::test_no_certificate_is_beaten"
LEMMA = "learn/test_project_online.py::test_lemma_3_2_is_never_beaten"

PAPER = Paper(
    "hpw2005",
    "000: Online learning over graphs",
    (
        Item(
            "Eq. (1)",
            "the smoothness of a function is a sum over the edges",
            ("graph.Graph.laplacian", "graph.measure.cut"),
            ("graph/test_measure.py::test_four_cuts_are_the_energy",),
        ),
        Item(
            "Eq. (2)",
            "the space of functions of mean 0 on every component",
            ("kernel.LaplacianKernel",),
            ("kernel/test_kernels.py::test_sqnorm_outside_the_space_is_infinite",),
        ),
        Item(
            "Eq. (3)",
            "the kernel is the pseudoinverse of the Laplacian",
            ("kernel.LaplacianKernel",),
            (KERNEL,),
        ),
        Item(
            "Eq. (4)",
            "the interpolant of smallest norm, by the representer theorem",
            ("learn.Projection.min_norm", "bound.interpolant.Interpolant"),
            ("learn/test_projection.py::test_min_norm_interpolates_with_the_smallest_norm",),
        ),
        Item(
            "Definition 3.1, eq. (5)",
            "the projection of a point on a closed convex set",
            ("learn.projection.convex.Project", "learn.HalfSpace"),
            ("learn/test_project_online.py::test_what_is_no_projection_is_refused",),
            "A set is given as its projection, which is tested on the points seen",
        ),
        Item(
            "Algorithm 1",
            "projections on any convex sets, one after the other",
            ("learn.project_online",),
            ("learn/test_project_online.py::test_half_spaces_of_a_graph_give_the_game_of_the_learner", LEMMA),
        ),
        Item(
            "Theorem 3.1",
            "Pythagoras for convex sets, an equality for affine ones",
            ("learn.project_online", "bound.certify_moves"),
            ("learn/test_project_online.py::test_an_affine_set_attains_theorem_3_1", LEMMA),
        ),
        Item(
            "Lemma 3.1",
            "the projections on a hyperplane and on a half-space",
            ("learn.HalfSpace", "learn.Projection"),
            ("learn/test_project_online.py::test_lemma_3_1_the_projection_on_a_half_space_and_its_border",),
        ),
        Item(
            "Lemma 3.2, eq. (6)",
            "the squared moves together are at most the squared distance to a common point",
            ("bound.certify_moves", "learn.Projected.progress"),
            (
                LEMMA,
                "learn/test_project_online.py::test_a_comparator_outside_of_a_set_beats_the_formula_and_voids_the_certificate",
                "learn/test_project_online.py::test_a_set_that_is_not_convex_beats_the_formula",
                "learn/test_project_online.py::test_a_function_that_overshoots_beats_the_formula",
            ),
        ),
        Item(
            "Algorithm 2",
            "online projections, cyclic or not, aggressive or not, with any strategy",
            ("learn.Projection", "learn.Strategy"),
            (
                BOX,
                "learn/test_projection.py::test_a_function_of_ones_own_gives_the_game_of_the_built_in_strategy",
                "learn/test_projection.py::test_columns_on_demand_give_the_game_of_the_dense_kernel",
            ),
            "The condition of the loop is at most 0, not below 0",
        ),
        Item(
            "Eq. (7)",
            "the power means",
            ("bound.projection.harmonic_mean",),
            ("bound/test_projection.py::test_the_harmonic_mean_is_the_least_of_the_power_means",),
            "Only the harmonic one is used",
        ),
        Item(
            "Theorem 3.2, eqs. (8) to (10)",
            "mistakes, by any comparator in the half-spaces (cyclic) or the hyperplanes of the labels",
            ("bound.ProjectionBound",),
            (
                NEVER,
                ATTACK,
                "bound/test_projection.py::test_the_smallest_comparator_attains_theorem_3_2_and_5_1",
                "bound/test_projection.py::test_moves_onto_hyperplanes_with_a_comparator_of_larger_margin_beat_the_formula",
            ),
        ),
        Item(
            "Eq. (11)",
            "the harmonic mean is at most the arithmetic one and the largest",
            ("bound.projection.harmonic_mean",),
            ("bound/test_projection.py::test_the_harmonic_mean_is_the_least_of_the_power_means",),
        ),
        Item(
            "Theorem 4.1",
            "the norm of a partition's classifier, by the cut, and between lambda_2 and lambda_n",
            (
                "bound.partition_norm",
                "bound.unit_separating",
                "bound.PartitionBound",
                "graph.measure.largest_eigenvalue",
            ),
            (
                "bound/test_projection.py::test_theorem_4_1_the_classifier_separates_with_the_stated_norm",
                "bound/test_projection.py::test_the_partition_bound_is_never_beaten",
                ATTACK,
            ),
            "The bound by the cut is an equality",
        ),
        Item(
            "Theorem 4.2, eqs. (12) and (13)",
            "the length of a node's point, by lambda_2 and by its eccentricity",
            ("bound.graph_partition.length_bounds", "graph.measure.algebraic_connectivity"),
            (
                "bound/test_projection.py::test_theorem_4_2_the_diagonal_is_bounded",
                "bound/test_projection.py::test_rings_favour_the_diameter_and_hypercubes_lambda_2",
            ),
        ),
        Item(
            "Section 4.1",
            "the updates of cyclic strategies are polynomial in the size of the graph",
            ("bound.UpdateBound", "learn.Projection.updates"),
            (
                ATTACK,
                "bound/test_comparators.py::test_updates_are_the_executions_of_lines_1_and_2",
                "bound/test_comparators.py::test_updates_are_polynomial_in_the_size_of_a_graph_without_weights",
                "bound/test_comparators.py::test_aggressive_updates_are_as_short_as_one_likes_and_beat_the_formula",
            ),
            "Its Theorems 3.2 and 3.4 mean Theorem 4.1",
        ),
        Item(
            "Theorem 5.1, eq. (14)",
            "mistakes outside of the active trials, less by the progress in them",
            ("bound.ProjectionBound", "game.play_active"),
            (
                NEVER,
                "bound/test_projection.py::test_theorem_5_1_counts_what_a_pool_query_chose_as_active",
                "game/test_active.py::test_theorem_5_1_holds_for_the_mistakes_after_the_selections",
            ),
        ),
        Item(
            "Eq. (15)",
            "the node of largest sure progress, among those not asked or among all",
            ("query.MaxProgress",),
            (
                "game/test_active.py::test_max_progress_is_the_argmax_of_the_criterion",
                "game/test_active.py::test_the_criterion_is_the_least_progress_of_the_two_labels",
                "game/test_active.py::test_the_criterion_over_all_nodes_asks_again_where_a_label_was_lost",
            ),
            "again=True is I = V as printed",
        ),
        Item(
            "Table 1",
            "1-proj, C-proj, MNI-ag, Act-st and Act-mu",
            (
                "learn.Projection.one_proj",
                "learn.Projection.c_proj",
                "learn.Projection.min_norm",
                "query.MaxProgress",
                "query.MinMargin",
                "reproduce hpw2005-digits",
            ),
            (BOX, "game/test_active.py::test_two_phases_are_two_games"),
        ),
        Item(
            "Figure 1",
            "central nodes of a hierarchical graph have small K_pp, and are asked for first",
            ("reproduce hpw2005-hierarchical", "graph.generate.hierarchical"),
            ("lab/test_experiments_projection.py::test_hierarchical",),
            "The paper's own graph is a picture; ours are draws of the same family",
        ),
        Item(
            "Figure 2, top",
            "future mistakes on even and odd digits",
            ("reproduce hpw2005-digits",),
            ("lab/test_experiments_projection.py::test_digits",),
            "The printed `66.9` of Act-st needs an aggressive suffix, which its footnote excludes",
        ),
        Item(
            "Figure 2, bottom",
            "future mistakes on a hierarchical random graph",
            ("reproduce hpw2005-hierarchical",),
            ("lab/test_experiments_projection.py::test_hierarchical",),
            "The text does not say how the labels spread; ours copy a labelled neighbour, flipped at a rate",
        ),
        Item(
            "C_fe and C_pe, section 6",
            "future and past cumulative error",
            ("game.Trace.future_mistakes",),
            ("game/test_play.py::test_the_trace_counts_what_happened",),
        ),
        Item(
            "Speculation in section 6",
            "Act-st is better than Act-mu on hard tasks because it prefers central nodes",
            ("reproduce hpw2005-hierarchical",),
            ("lab/test_experiments_projection.py::test_hierarchical",),
            "The experiment states for every noise rate whether it held",
        ),
    ),
)
