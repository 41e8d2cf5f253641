"""What is numbered in paper 001, Herbster and Pontil 2006."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

MISTAKES = (
    Item(
        "Figure 1",
        "the perceptron on a finite set",
        ("learn.Perceptron",),
        (
            "learn/test_perceptron.py::test_agrees_with_the_box_trial_by_trial",
            "learn/test_perceptron.py::test_mistakes_equal_those_in_exact_rationals",
        ),
    ),
    Item(
        "Eq. (1)",
        "the bound of paper 000 that is to be improved: 4 cut x diameter x balance",
        ("bound.PartitionBound", "graph.measure.balance", "reproduce hp2006-barbell"),
        (
            "lab/test_experiments_projection.py::test_barbells",
            "graph/test_connectivity.py::test_one_odd_vertex_has_the_balance_of_a_quarter_square",
        ),
        "The balance of one odd vertex is n²/4, not the printed n²",
    ),
    Item(
        "Eqs. (2), (3)",
        "the points v_i, and that they reproduce values",
        ("kernel.Kernel.column", "kernel.LaplacianKernel"),
        (
            "kernel/test_kernels.py::test_laplacian_kernel_is_the_pseudoinverse",
            "kernel/test_kernels.py::test_sqnorm_is_that_of_the_inverse",
        ),
    ),
    Item(
        "Eqs. (4), (6), footnote 1",
        "the Laplacian's norm, and the weighted cut as a quarter of it",
        ("graph.Graph.laplacian", "graph.measure.cut"),
        ("graph/test_measure.py::test_four_cuts_are_the_energy",),
        "Negative weights too: kernel.LaplacianKernel of an unbalanced signed graph needs neither b nor c",
    ),
    Item(
        "Theorem 2.1, eq. (5)",
        "mistakes of the perceptron, relative to any labelling",
        ("bound.PerceptronBound", "bound.live_curve"),
        (
            "bound/test_perceptron.py::test_theorem_2_1_is_never_beaten",
            "bound/test_perceptron.py::test_the_value_is_equation_5",
            "bound/test_perceptron.py::test_without_a_bias_the_formula_is_beaten_and_the_certificate_is_void",
            "kernel/test_signed.py::test_no_certificate_over_a_definite_signed_kernel_is_beaten",
            "kernel/test_signed.py::test_without_definiteness_the_formula_is_beaten",
        ),
    ),
    Item(
        "Section 2.2, last sentence",
        "the constant 2 of eq. (5) is optimal",
        ("bound.PerceptronBound",),
        ("bound/test_perceptron.py::test_the_constant_two_cannot_be_smaller",),
    ),
)

GEOMETRY = (
    Item(
        "Eq. (7)",
        "resistance distance",
        ("graph.measure.resistance", "graph.measure.resistance_matrix"),
        (
            "graph/test_measure.py::test_resistance_is_the_distance_of_the_kernel",
            "graph/test_measure.py::test_resistance_is_a_metric_and_below_the_geodesic",
        ),
    ),
    Item(
        "Lemma 3.1",
        "the length of a point as the least norm of a function through it",
        ("kernel.Kernel.column", "kernel.Kernel.sqnorm"),
        ("bound/test_comparison.py::test_lemma_3_1_the_shortest_function_through_a_point",),
    ),
    Item(
        "Theorem 3.1",
        "where norms are smaller, points are longer",
        ("bound.compared_lengths",),
        (
            "bound/test_comparison.py::test_theorem_3_1_holds_for_every_combination",
            "bound/test_comparison.py::test_theorem_3_1_needs_each_of_its_assumptions",
        ),
    ),
    Item(
        "Corollary 3.1",
        "more weight makes points shorter and resistances smaller (Rayleigh)",
        ("bound.monotonicity",),
        (
            "bound/test_comparison.py::test_corollary_3_1_holds_for_every_weaker_graph",
            "bound/test_comparison.py::test_corollary_3_1_needs_each_of_its_assumptions_and_the_square",
        ),
        "With the square that is missing in print",
    ),
    Item(
        "Lemma 3.2",
        "on a tree the resistance is the geodesic distance",
        ("graph.measure.resistance_matrix", "graph.measure.geodesic_matrix"),
        ("graph/test_measure.py::test_on_a_tree_resistance_is_the_geodesic",),
    ),
    Item(
        "Theorem 3.2, eqs. (8), (9)",
        "the length of a point is at most its mean resistance, its eccentricity, the diameter",
        ("bound.point_lengths", "graph.measure.resistance_diameter", "graph.measure.eccentricities"),
        ("bound/test_graph_perceptron.py::test_theorem_3_2_is_a_chain_of_inequalities",),
    ),
    Item(
        "Figure 4 (flower)",
        "a family on which eq. (9) is tight to a gap of 1",
        ("graph.generate.flower", "reproduce hp2006-flower"),
        (
            "graph/test_connectivity.py::test_the_flower_is_nearly_tight",
            "lab/test_experiments_projection.py::test_flower",
        ),
    ),
)

PREDICTION = (
    Item(
        "Eq. (10)",
        "the kernel with bias b and ridge c",
        ("kernel.Constant", "kernel.Ridge"),
        ("kernel/test_kernels.py::test_bias_and_ridge_are_paper_001_eq_10_per_component",),
        "b acts within each component",
    ),
    Item(
        "Theorem 4.1",
        "the norm of a sum of kernels is that of the cheapest split",
        ("bound.split_norm",),
        (
            "bound/test_comparison.py::test_theorem_4_1_is_the_least_of_all_splits",
            "bound/test_comparison.py::test_theorem_4_1_needs_each_of_its_assumptions",
        ),
    ),
    Item(
        "Lemma 4.1, eqs. (11)-(13)",
        "the lengths of points and the norm of a noisy labelling in that kernel",
        ("bound.noisy_norm", "graph.measure.imbalance"),
        (
            "bound/test_graph_perceptron.py::test_lemma_4_1_bounds_the_norm_of_a_noisy_labelling",
            "bound/test_graph_perceptron.py::test_lemma_4_1_without_a_ridge_cannot_pay_for_odd_nodes",
        ),
    ),
    Item(
        "Eq. (14)",
        "an odd label costs at most 4/c, in any kernel with a ridge",
        ("kernel.Ridge", "bound.split_norm"),
        (
            "bound/test_comparison.py::test_equation_14_a_ridge_pays_four_over_c_for_each_odd_label",
            "bound/test_comparison.py::test_theorem_4_1_explains_the_ridge",
        ),
    ),
    Item(
        "Theorem 4.2, eqs. (15), (16)",
        "mistakes from cut, balance, odd labels and resistance",
        ("bound.GraphPerceptronBound",),
        (
            "bound/test_graph_perceptron.py::test_theorem_4_2_is_never_beaten",
            "bound/test_graph_perceptron.py::test_the_terms_are_those_of_the_paper",
            "bound/test_graph_perceptron.py::test_a_concept_that_differs_needs_a_ridge",
        ),
        "4k/c is 0 when k = c = 0; on several components each pays for its own balance",
    ),
    Item(
        "Figure 2 (barbell)",
        "two cliques and a bridge: a bound of 12 whatever their size",
        ("graph.generate.barbell", "reproduce hp2006-barbell"),
        ("lab/test_experiments_projection.py::test_barbells",),
    ),
    Item(
        "Figure 3 (noisy barbell)",
        "k odd labels cost O(k) with a ridge and O(kn) without",
        ("graph.generate.noisy_barbell", "reproduce hp2006-barbell"),
        (
            "lab/test_experiments_projection.py::test_barbells",
            "bound/test_graph_perceptron.py::test_a_ridge_turns_a_cut_of_m_into_a_constant",
        ),
    ),
    Item(
        "Section 4 (thick barbell)",
        "l bridges: a resistance diameter of at most 5/l by paths in parallel, and at most 20 mistakes",
        ("graph.generate.thick_barbell", "graph.measure.parallel_resistance", "reproduce hp2006-barbell"),
        (
            "graph/test_connectivity.py::test_thick_barbells_have_a_resistance_diameter_of_at_most_five_over_the_bridges",
            "graph/test_connectivity.py::test_paths_side_by_side_bound_the_resistance",
        ),
        "The bound is 20 + l/n at b = 1/4n; it is 20 because mistakes are whole",
    ),
)

RIVALS = (
    Item(
        "Section 5.1, Figure 5 (octopus)",
        "k nearest neighbours err at every tentacle, the perceptron makes at most 10p + 5 mistakes",
        ("learn.NearestNeighbour", "graph.generate.octopus", "reproduce hp2006-octopus"),
        (
            "learn/test_nearest_neighbour.py::test_agrees_with_a_search_through_the_labelled_nodes",
            "learn/test_nearest_neighbour.py::test_every_tip_of_the_octopus_is_a_mistake_for_every_k",
            "lab/test_experiments_projection.py::test_octopus",
        ),
    ),
    Item(
        "Section 5.2 (halving)",
        "the majority of the labellings with few cuts, and its logarithmic bound",
        ("learn.Halving", "bound.HalvingBound"),
        (
            "learn/test_halving.py::test_counts_and_predictions_equal_those_of_a_list_of_all_labellings",
            "learn/test_halving.py::test_thin_graphs_are_counted_as_a_list_of_all_labellings_is",
            "bound/test_halving.py::test_no_game_on_thin_graphs_beats_it",
            "bound/test_halving.py::test_each_assumption_of_the_bound_is_needed",
        ),
        "On every graph of small width; on others counting is intractable, and labelling_bits bounds the class",
    ),
    Item(
        "Section 5.2 (cardinality)",
        "how many labellings cut k edges",
        ("bound.labelling_bits",),
        (
            "bound/test_halving.py::test_the_binomial_bound_holds_on_any_graph",
            "bound/test_halving.py::test_the_cardinality_of_the_paper_holds_from_one_cut_edge_on",
        ),
        "The printed C(n(n - 1), k) is too small for k = 0 alone; ours counts edges and not pairs",
    ),
    Item(
        "Section 5.2 (line, diameter)",
        "halving is sharper on a line, the perceptron on graphs of small diameter",
        ("reproduce hp2006-line",),
        (
            "lab/test_experiments_projection.py::test_line",
            "lab/test_experiments_projection.py::test_halving_on_a_ring_and_the_perceptron_on_a_star",
            "bound/test_halving.py::test_the_logarithm_on_a_line_is_the_papers_ceiling",
        ),
        "The line of n nodes has diameter n - 1, so its bound is 5n, below the printed 5n + 5",
    ),
    Item(
        "Section 5.2, end (open)",
        "a better count by the minimum cut, and better resistances by connectivity",
        ("bound.labelling_bits", "graph.measure.minimum_cut", "graph.measure.parallel_resistance"),
        (
            "graph/test_connectivity.py::test_contractions_bound_the_number_of_labellings",
            "graph/test_connectivity.py::test_a_greedy_search_finds_no_graph_that_beats_a_bound",
            "graph/test_connectivity.py::test_contractions_need_the_minimum_cut_to_be_right",
        ),
    ),
    Item(
        "The choice of b and c (open)",
        "which bias and which ridge to take",
        ("reproduce hp2006-b-and-c", "kernel.LaplacianKernel.with_default_bias"),
        (
            "lab/test_experiments_projection.py::test_b_and_c",
            "lab/test_experiments_projection.py::test_the_norms_over_the_grid_are_those_of_the_kernels",
        ),
        "Ours: where the bound of Theorem 2.1 is least, mistakes are the fewest or nearly so, on all data tried",
    ),
)

PAPER = Paper(
    "hp2006",
    "001: Prediction on a graph with a perceptron",
    (*MISTAKES, *GEOMETRY, *PREDICTION, *RIVALS),
)
