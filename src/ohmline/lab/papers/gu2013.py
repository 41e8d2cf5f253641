"""What is numbered in paper 004, Gu, Aggarwal, Liu and Han 2013."""

from __future__ import annotations

from ohmline.lab.papers.item import Item, Paper

EQUATIONS = "learn/test_lgc_equations.py"
SELECTIVE = "bound/test_selective.py"
LGC = "bound/test_lgc.py"
LEARNER = "learn/test_online_lgc.py"
LAB = "lab/test_experiments_gu.py"

PAPER = Paper(
    "gu2013",
    "004: Selective sampling on graphs for classification",
    (
        Item(
            "Eq. (1)",
            "graph regularisation f'Lf, and the cut that it measures",
            ("graph.measure.cut",),
            ("graph/test_measure.py::test_four_cuts_are_the_energy",),
        ),
        Item(
            "Eq. (2)",
            "LLGC, offline",
            ("learn.LLGC",),
            (
                "learn/test_batch_graph.py::test_llgc_is_its_closed_form",
                f"{EQUATIONS}::test_eq_2_to_8_are_one_problem",
            ),
            "`LLGC` has the normalised Laplacian of its authors; with the paper's L it is `OnlineLGC` after all labels",
        ),
        Item(
            "Eq. (3)-(5)",
            "LLGC as ridge regression in the features of L+",
            ("learn.OnlineLGC", "kernel.LaplacianKernel"),
            (f"{EQUATIONS}::test_eq_2_to_8_are_one_problem",),
            "It holds among functions of mean 0; the constant is not in the space of L+",
        ),
        Item(
            "Eq. (6)-(8)",
            "follow the regularised leader, w = A^-1 b",
            ("learn.OnlineLGC",),
            (f"{LEARNER}::test_every_label_learned_is_kernel_ridge_regression",),
        ),
        Item(
            "Algorithm 1",
            "OLLGC",
            ("learn.OnlineLGC",),
            (f"{LEARNER}::test_follows_the_algorithm_boxes",),
        ),
        Item(
            "Eq. (9)",
            "the regret",
            ("bound.OnlineLGCRegret",),
            (f"{LGC}::test_never_beaten",),
            "Term `regret`, over the labels learned",
        ),
        Item(
            "Eq. (10)-(12)",
            "the step as mirror descent",
            ("learn.OnlineLGC",),
            (f"{EQUATIONS}::test_lemmas_1_and_2_and_eq_18",),
            "Eq. (11) has a plus for a minus, and A_t after Eq. (12) lacks mu I",
        ),
        Item(
            "Lemma 1",
            "the regret of mirror descent",
            ("bound.OnlineLGCRegret",),
            (f"{EQUATIONS}::test_lemmas_1_and_2_and_eq_18",),
            "An equation once D(u, w_{T+1}) is taken off",
        ),
        Item(
            "Lemma 2",
            "the sum of the variances",
            ("bound.OnlineLGCRegret", "bound.LabelComplexity"),
            (f"{EQUATIONS}::test_lemmas_1_and_2_and_eq_18",),
            "Terms `log_det` and `in_hindsight`",
        ),
        Item(
            "Lemma 3",
            "the norm of a labelling is its cut",
            ("graph.measure.cut", "bound.OnlineLGCRegret"),
            (
                f"{EQUATIONS}::test_lemma_3_counts_every_cut_edge_four_times",
                f"{LGC}::test_theorem_4_costs_two_mu_phi",
            ),
            "4 Phi where 2 Phi is printed",
        ),
        Item(
            "Theorem 4",
            "the regret bound",
            ("bound.OnlineLGCRegret",),
            (f"{LGC}::test_never_beaten", f"{LGC}::test_theorem_4_costs_two_mu_phi"),
            "2 mu Phi where mu Phi is printed; gamma bounds the learner's own losses",
        ),
        Item(
            "Eq. (17)-(18)",
            "its proof",
            ("bound.OnlineLGCRegret",),
            (f"{EQUATIONS}::test_lemmas_1_and_2_and_eq_18",),
            "A half is lost in Eq. (18)",
        ),
        Item(
            "Corollary 5",
            "the mistake bound",
            ("bound.OnlineLGCBound",),
            (f"{LGC}::test_corollary_5_is_false_as_printed", f"{LGC}::test_never_beaten"),
            "False as printed; the certificate is what its proof bounds",
        ),
        Item(
            "Eq. (20)",
            "bias B_t and variance r_t of the margin",
            ("bound.margin_errors", "learn.Variance"),
            (
                f"{SELECTIVE}::test_no_average_is_above_its_limit",
                f"{LAB}::test_table_2_on_three_shuffles_of_cora",
            ),
            "The I in B_t is mu I",
        ),
        Item(
            "Algorithm 2",
            "SSLGC",
            ("learn.OnlineLGC", "query.VarianceAbove"),
            (f"{LEARNER}::test_follows_the_algorithm_boxes",),
        ),
        Item(
            "Eq. (21)",
            "the regret of selective sampling",
            ("bound.SelectiveRegret",),
            (f"{SELECTIVE}::test_no_average_is_above_its_limit",),
        ),
        Item(
            "Lemma 6",
            "how often a margin is off, Eq. (22)",
            ("bound.MarginBound",),
            (
                f"{SELECTIVE}::test_no_average_is_above_its_limit",
                f"{SELECTIVE}::test_eq_22_and_23_are_false_as_printed",
                f"{SELECTIVE}::test_without_learning_every_label_asked_for",
            ),
            "False as printed: B stands for mu, and Algorithm 2 learns mistaken labels only",
        ),
        Item(
            "Theorem 7",
            "the regret of selective sampling, Eq. (23)",
            ("bound.SelectiveRegret",),
            (
                f"{SELECTIVE}::test_no_average_is_above_its_limit",
                f"{SELECTIVE}::test_no_adversary_breaks_a_limit",
                f"{SELECTIVE}::test_eq_22_and_23_are_false_as_printed",
            ),
            "Corrected as Lemma 6 is. For labels that are certain it covers Algorithm 2 as printed",
        ),
        Item(
            "Theorem 7, the labels",
            "how many are asked for",
            ("bound.LabelComplexity",),
            (
                f"{LGC}::test_label_complexity_holds_where_every_label_is_learned",
                f"{LGC}::test_label_complexity_is_false_with_mistake_driven_updates",
            ),
            "Where every label asked for is learned, with B in the logarithm",
        ),
        Item(
            "Eq. (24)-(25)",
            "the proof of Eq. (23)",
            ("bound.SelectiveRegret",),
            (f"{SELECTIVE}::test_no_average_is_above_its_limit",),
            "The certificate sums the mean's size times Pr(wrong sign), which is less",
        ),
        Item(
            "Eq. (26)",
            "the proof of the limit on the labels",
            ("bound.LabelComplexity",),
            (f"{LGC}::test_the_ceiling_is_the_largest_root",),
        ),
        Item(
            "Eq. (27)",
            "exact features",
            ("kernel.SpectralKernel",),
            ("kernel/test_kernels.py::test_full_rank_spectral_kernel_inverts_the_shifted_laplacian",),
        ),
        Item(
            "Eq. (28)",
            "d features",
            ("kernel.SpectralKernel",),
            ("kernel/test_kernels.py::test_literal_eq_28_drops_the_constant",),
            "The constant eigenvector is kept unless asked otherwise",
        ),
        Item(
            "Section 5, best rank-d approximation",
            "of L+, and of L",
            ("kernel.SpectralKernel.truncated",),
            (
                f"{EQUATIONS}::test_the_first_eigenpairs_approximate_the_kernel_best_and_not_the_laplacian",
                f"{EQUATIONS}::test_the_laplacian_has_a_better_approximation",
            ),
            "True of L+, false of L",
        ),
        Item(
            "Section 6.3, tuning and one-vs-rest",
            "mu on a held-out shuffle; classes",
            ("game.tune", "learn.OneVsRest"),
            (
                "game/test_tune.py::test_several_streams_are_averaged_in_one_order",
                "learn/test_shared_lgc.py::test_one_vs_rest_runs_the_paper_s_form",
            ),
        ),
        Item(
            "Table 1",
            "the data sets",
            ("reproduce gu2013-data",),
            (f"{LAB}::test_table_1_is_counted", "data/test_four_area.py::test_edges_count_joint_papers"),
            "Cora and PubMed to the last link; Coauthor from the user's own copy; wikimovies4 stands for IMDB",
        ),
        Item(
            "Table 2",
            "error, queries and time",
            (
                "reproduce gu2013-cora",
                "reproduce gu2013-pubmed",
                "reproduce gu2013-movies",
                "reproduce gu2013-coauthor",
            ),
            (f"{LAB}::test_table_2_on_three_shuffles_of_cora", f"{LAB}::test_table_2_holds"),
            "gu2013-movies is a stand-in for IMDB; gu2013-coauthor needs the user's own copy",
        ),
        Item(
            "Figure 1",
            "the rank",
            ("reproduce gu2013-rank",),
            (f"{LAB}::test_rank_and_kappa_run",),
        ),
        Item(
            "Figure 2",
            "mistakes, queries and time by round",
            ("reproduce gu2013-movies", "reproduce gu2013-pubmed"),
            (f"{LAB}::test_the_rounds_of_figure_2", f"{LAB}::test_table_2_on_a_small_folder"),
            "On a stand-in for IMDB",
        ),
        Item(
            "Figure 3",
            "selective against random sampling",
            ("reproduce gu2013-kappa",),
            (f"{LAB}::test_rank_and_kappa_run",),
            "On Cora, PubMed, a stand-in for IMDB, and Coauthor where it is here",
        ),
        Item(
            "Open: inductive learning (section 7)",
            "nodes that come later",
            ("learn.LocalLGC.add_node",),
            ("learn/test_local_lgc_change.py::test_a_life_ends_where_a_fresh_start_does",),
            "By full rank in precision form, which is ours",
        ),
        Item(
            "Open: kappa (section 6.6)",
            "how many labels kappa asks for",
            ("reproduce gu2013-label-rate",),
            (f"{LAB}::test_the_label_rate_grows_with_kappa",),
            "Ours; it asks for far fewer where every label is learned",
        ),
        Item(
            "Open: disconnected graphs (section 3.1)",
            "promised with more involved arguments",
            ("kernel.SpectralKernel", "kernel.LaplacianKernel"),
            (f"{LGC}::test_never_beaten",),
            "Every certificate holds there: no proof needs a connected graph once the constants are per component",
        ),
    ),
)
