"""What is numbered in paper 002, Herbster 2008."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

BOX = "learn/test_pounce.py::test_every_trial_equals_the_box_in_exact_arithmetic"
NEVER = "bound/test_pounce.py::test_theorem_2_is_never_beaten"
ATTACK = "bound/test_comparators.py::test_no_certificate_is_beaten"
THEOREM_5 = "graph/test_signed_measures.py::test_theorem_5_holds_in_exact_arithmetic"
SCALE = "bound/test_embedding.py::test_the_scale_is_that_of_the_proof_in_exact_logarithms"
COVERS = "graph/test_measure.py::test_separating_covers_by_their_definition"

PAPER = Paper(
    "h2008",
    "002: Exploiting cluster-structure to predict the labeling of a graph",
    (
        Item(
            "Eqs. (1) and (2)",
            "the Laplacian of a weighted graph and its semi-norm",
            ("graph.Graph.laplacian", "graph.measure.cut"),
            ("graph/test_measure.py::test_four_cuts_are_the_energy",),
        ),
        Item(
            "Eq. (3)",
            "effective resistance and resistance diameter",
            ("graph.measure.resistance", "graph.measure.resistance_diameter"),
            ("graph/test_measure.py::test_resistance_is_the_distance_of_the_kernel",),
        ),
        Item(
            "Eq. (4)",
            "the perceptron's bound with which POUNCE's is compared",
            ("bound.GraphPerceptronBound", "reproduce h2008-three-clusters"),
            ("bound/test_graph_perceptron.py::test_theorem_4_2_is_never_beaten",),
        ),
        Item(
            "Eq. (5)",
            "the optimal classifier: voltages at fixed labels",
            ("graph.measure.least_energy",),
            ("bound/test_pounce.py::test_theorem_5_a_larger_margin_never_lowers_the_energy", THEOREM_5),
        ),
        Item(
            "Eqs. (6) and (7)",
            "the coordinate spanning set and the reproducing property",
            ("kernel.LaplacianKernel",),
            ("kernel/test_kernels.py::test_signed_laplacian_kernel_is_the_pseudoinverse",),
            "The norm printed before (6) lacks a square root",
        ),
        Item(
            "Eq. (8)",
            "the covering number of any discrepancy",
            ("graph.measure.cover",),
            ("graph/test_measure.py::test_cover_number_against_brute_force",),
        ),
        Item(
            "Lemma 1, eq. (9)",
            "energy as edges that want equal values, edges that want opposite ones, and vertex weights",
            ("graph.measure.energy_parts", "graph.measure.vertex_weights"),
            (
                "graph/test_signed_measures.py::test_lemma_1_splits_the_energy_of_any_symmetric_matrix",
                "graph/test_signed_measures.py::test_a_vertex_weight_is_an_edge_to_a_ground_that_is_never_asked",
                "graph/test_signed_measures.py::test_a_vertex_weight_below_zero_need_not_be_positive_semidefinite",
            ),
            "Graphs hold edges; a vertex weight is an edge to one node more that is never asked for",
        ),
        Item(
            "Theorem 2, eq. (10)",
            "mistakes of POUNCE by a cover and the norm of any function that separates the mistakes",
            ("bound.PounceBound",),
            (
                NEVER,
                ATTACK,
                "bound/test_pounce.py::test_theorem_2_holds_on_definite_signed_laplacians",
                "bound/test_pounce.py::test_a_singular_signed_laplacian_breaks_theorem_2",
                "bound/test_comparators.py::test_theorem_2_takes_any_function_that_separates_the_mistakes",
            ),
        ),
        Item(
            "Definition 3, eq. (11)",
            "projection on a convex set",
            ("learn.project_online",),
            ("learn/test_project_online.py::test_what_is_no_projection_is_refused",),
        ),
        Item(
            "Lemma 4, eqs. (12) and (13)",
            "Pythagoras for affine sets, and the projection on a hyperplane",
            ("learn.HalfSpace", "bound.certify_moves"),
            (
                "learn/test_project_online.py::test_an_affine_set_attains_theorem_3_1",
                "learn/test_project_online.py::test_lemma_3_1_the_projection_on_a_half_space_and_its_border",
            ),
        ),
        Item(
            "Theorem 5, eqs. (14) to (16)",
            "over a signed Laplacian no function of larger margins is smoother than one that equals the labels",
            ("graph.measure.least_energy", "bound.PounceBound"),
            (
                THEOREM_5,
                "graph/test_signed_measures.py::test_theorem_5_needs_a_dominant_diagonal",
                "graph/test_signed_measures.py::test_theorem_5_needs_margins_of_equal_size",
            ),
            "Printed with the same set on both sides",
        ),
        Item(
            "Eqs. (17) to (22)",
            "the proof of Theorem 2",
            because="Steps of a proof, which the certificate of Theorem 2 holds as a whole",
        ),
        Item(
            "Definition 6, eqs. (23) and (24)",
            "the exponential embedding of points",
            ("graph.ExponentialEmbedding",),
            (
                "graph/test_embedding.py::test_voltages_and_resistances_are_exact_at_every_a",
                "graph/test_embedding.py::test_the_limit_is_that_of_ever_sharper_embeddings",
            ),
        ),
        Item("Eq. (25)", "the component covering number", ("graph.measure.component_cover",), (COVERS,)),
        Item(
            "Definition 7, eqs. (26) and (27)",
            "the separating covers N° and C°",
            ("graph.measure.separating_cover", "graph.measure.component_separating_cover"),
            (COVERS, "graph/test_measure.py::test_no_cover_separates_equal_points"),
        ),
        Item(
            "Theorem 8, eqs. (28) to (31)",
            "at most C° + 1 mistakes on an embedding that is steep enough",
            ("bound.EmbeddingBound",),
            (
                "bound/test_embedding.py::test_theorem_8_is_never_beaten",
                "bound/test_embedding.py::test_theorem_8_holds_beyond_its_scale",
                "bound/test_embedding.py::test_a_small_scale_beats_the_limit_and_the_certificate_says_so",
            ),
        ),
        Item(
            "a' of Theorem 8",
            "how steep that is: 3 ln(4 n) / epsilon as printed",
            ("graph.measure.sufficient_scale",),
            (SCALE, "bound/test_embedding.py::test_scales_of_special_cases"),
            "ln(4 n+ n- (m - 1)) / (delta - rho) is enough, and never larger",
        ),
        Item(
            "Nearest neighbours, section 5",
            "1-NN errs at most N° times, and geodesic 1-NN at lengths e^(a d) at most C° times",
            ("learn.NearestNeighbour", "graph.measure.separating_cover"),
            ("bound/test_embedding.py::test_nearest_neighbours_err_at_most_once_in_every_set",),
        ),
        Item(
            "Figure 1",
            "covering the two moons",
            ("reproduce h2008-two-moons",),
            ("lab/test_experiments_projection.py::test_two_moons",),
            "The paper's points are a picture, so its 42 balls are not ours",
        ),
        Item(
            "Figure 2",
            "three clusters, hard for the perceptron and easy for POUNCE",
            ("reproduce h2008-three-clusters", "graph.generate.three_clusters"),
            ("lab/test_experiments_projection.py::test_three_clusters",),
        ),
        Item("Figure 3", "the algorithm POUNCE", ("learn.Pounce",), (BOX,)),
        Item(
            "Figure 4",
            "two strips: a task that needs sight of the unlabelled points",
            ("reproduce h2008-strips", "graph.generate.strips"),
            ("lab/test_experiments_projection.py::test_strips",),
            "Its loci hold 6n - 2 points, not 6n",
        ),
        Item(
            "Lower bound for the perceptron, section 2.2",
            "three examples on which the perceptron errs linearly in a parameter",
            because="The example is in a research note (RN/08/03) whose text the paper leaves out",
        ),
        Item(
            "Open: the size of a",
            "whether a less severe tuning than that of Theorem 8 is more useful in practice",
            ("reproduce h2008-size-of-a",),
            ("lab/test_experiments_projection.py::test_size_of_a",),
            "Ours",
        ),
        Item(
            "Open: halving and clusters, section 6",
            "an efficient algorithm with the strengths of both",
            ("reproduce hp2006-line",),
            ("lab/test_experiments_projection.py::test_line",),
            "No such algorithm is here; the experiment shows the gap on lines",
        ),
    ),
)
