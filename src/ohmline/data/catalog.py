"""The catalog: every data set by name, where it comes from, and how a copy of it is checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ohmline.checks import shown
from ohmline.data import blogs, elliptic, embedded, folder, four_area, ogb, pictures, planetoid
from ohmline.data.archive import Archive, Folder, Members
from ohmline.data.download import Remote
from ohmline.data.entry import Entry, Files
from ohmline.data.tables import GraphTable, Table
from ohmline.errors import ParameterError


def _planetoid(name: str, title: str, names: tuple[str, ...], hashes: dict[str, str], **more: Any) -> Entry:
    # The SHA-256 checksums are those that other projects publish for these files of kimiyoung/planetoid.
    base = (
        "https://raw.githubusercontent.com/kimiyoung/planetoid/af6abf468a772cc055bec88c52e4d6f51b7c37e3/data"
    )
    remotes = tuple(
        Remote(f"ind.{name}.{part}", (f"{base}/ind.{name}.{part}",), f"sha256:{hashes[part]}")
        for part in planetoid.PARTS
    )

    def parse(files: Files) -> GraphTable:
        return planetoid.read({part: files[f"ind.{name}.{part}"] for part in planetoid.PARTS}, names)

    return Entry(
        name,
        title,
        "LINQS citation networks; no licence stated",
        stem=name,
        from_folder=folder.graph_table,
        remotes=remotes,
        from_files=parse,
        **more,
    )


def _citeseer_counts(table: Table) -> str | None:
    """Compare with the published counts: there was no other copy to take a fingerprint from."""
    assert isinstance(table, GraphTable)
    edges = int(np.count_nonzero(table.source != table.target))
    found = (table.n, edges, len(np.unique(table.labels[table.labels >= 0])))
    return None if found == (3327, 4552, 6) else f"(nodes, edges, classes) are {found}, not (3327, 4552, 6)"


def _mnist_remote(name: str, md5: str) -> Remote:
    mirrors = (
        "https://ossci-datasets.s3.amazonaws.com/mnist",
        "https://storage.googleapis.com/cvdf-datasets/mnist",
    )
    return Remote(name, tuple(f"{mirror}/{name}" for mirror in mirrors), f"md5:{md5}")


def _usps_remote(name: str, md5: str) -> Remote:
    base = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass"
    return Remote(name, (f"{base}/{name}",), f"md5:{md5}")


def _landmask(name: str, minutes: int) -> Entry:
    return Entry(
        name,
        f"land or ocean on a grid of {minutes} arc-minutes",
        "GLOBE, public domain",
        stem="landmask",
        from_folder=lambda arrays: folder.landmask_table(arrays, minutes),
    )


def _archived(
    name: str,
    title: str,
    licence: str,
    read: Callable[[Members], GraphTable],
    remotes: tuple[Remote, ...],
    **more: Any,
) -> Entry:
    """A data set in archives: downloaded, or unpacked by the user into the folder of its name in `OHMLINE_DATA`."""
    return Entry(
        name,
        title,
        licence,
        remotes=remotes,
        from_files=lambda files: read(Archive(list(files.values()))),
        place=name,
        from_place=lambda place: read(Folder(place)),
        obtain=f"the files of {remotes[0].mirrors[0].rpartition('/')[0]}",
        **more,
    )


def _ogb(name: str, title: str, licence: str, read: Callable[[Members], GraphTable], sha: str) -> Entry:
    # Checksums that other projects publish for these archives of the Open Graph Benchmark.
    file = f"{name.removeprefix('ogbn-')}.zip"
    address = f"http://snap.stanford.edu/ogb/data/nodeproppred/{file}"
    return _archived(name, title, licence, read, (Remote(file, (address,), f"sha256:{sha}"),))


def _elliptic_remotes() -> tuple[Remote, ...]:
    # Checksums that other projects publish for the mirror of PyTorch Geometric.
    hashes = {
        elliptic.FEATURES: "d33d62159e64b5e889f1a7ea880227c612775b58d409598855e0c4400fa52b3e",
        elliptic.EDGES: "a2f9f6b67a39da2d8cf87fe77b9db89571ba6d880e5dd5b5991dc45c80fa34ec",
        elliptic.CLASSES: "4ca957f0ceffd5dd164e255c7d5ad9ee69a6fa64ae1dd94d6f113e5ebf3b07ba",
    }
    base = "https://data.pyg.org/datasets/elliptic"
    return tuple(
        Remote(f"{name}.zip", (f"{base}/{name}.zip",), f"sha256:{sha}") for name, sha in hashes.items()
    )


CATALOG: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "karate",
            "Zachary's karate club, the two sides of its split",
            "published facts",
            embedded=embedded.karate,
        ),
        Entry(
            "digits",
            "handwritten digits, 8 x 8 (scikit-learn)",
            "CC BY 4.0 (UCI)",
            vectors=True,
            embedded=embedded.digits,
        ),
        _planetoid(
            "cora",
            "Cora citation graph, 7 subjects",
            (
                "Theory",
                "Reinforcement_Learning",
                "Genetic_Algorithms",
                "Neural_Networks",
                "Probabilistic_Methods",
                "Case_Based",
                "Rule_Learning",
            ),
            {
                "graph": "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d",
                "ally": "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71",
                "ty": "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad",
                "test.index": "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875",
                "allx": "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543",
                "tx": "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a",
            },
            fingerprint="b091aff5299071cdef2b01dd0aea747ae2e97761868eea3e9c280034e22ca2e8",
        ),
        _planetoid(
            "pubmed",
            "PubMed diabetes citation graph, 3 kinds",
            ("Experimental", "Type1", "Type2"),
            {
                "graph": "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9",
                "ally": "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e",
                "ty": "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd",
                "test.index": "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5",
                "allx": "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e",
                "tx": "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d",
            },
            fingerprint="3e355369a6fcde5e09e87818f61631198941db3250a130c63bca6502ef5dd1a6",
        ),
        _planetoid(
            "citeseer",
            "Citeseer citation graph, 6 fields, 15 nodes without a label",
            # Matched by the class sizes of the original release, which all differ.
            ("AI", "ML", "IR", "DB", "Agents", "HCI"),
            {
                "graph": "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7",
                "ally": "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95",
                "ty": "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce",
                "test.index": "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4",
                "allx": "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668",
                "tx": "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21",
            },
            check=_citeseer_counts,
        ),
        Entry(
            "usps",
            "USPS handwritten digits, 16 x 16, grey levels from -1 to 1",
            "no licence stated (AT&T)",
            vectors=True,
            stem="usps",
            from_folder=folder.usps_table,
            remotes=(
                _usps_remote("usps.bz2", "ec16c51db3855ca6c91edd34d0e9b197"),
                _usps_remote("usps.t.bz2", "8ea070ee2aca1ac39742fdd1ef5ed118"),
            ),
            from_files=pictures.usps,
            fingerprint="02d35beb9d429947c03cc95a76cabece094328a3785cfa9a873769622c79ff2f",
        ),
        Entry(
            "mnist",
            "MNIST digits 0, 1 and 2 at 16 x 16, grey levels from 0 to 1, as paper 003 uses them",
            "CC BY-SA 3.0 (LeCun, Cortes)",
            vectors=True,
            stem="mnist012_16x16",
            from_folder=folder.mnist_table,
            remotes=(
                _mnist_remote("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
                _mnist_remote("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
                _mnist_remote("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
                _mnist_remote("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
            ),
            from_files=pictures.mnist012,
            fingerprint="97a64739300264ba3741ce44e0756e2766f3ec8930072dec40d5427698b87f39",
        ),
        Entry(
            "wikimovies4",
            "American films that share actors, four genres",
            "CC BY-SA (Wikipedia)",
            stem="wikimovies4",
            from_folder=folder.graph_table,
        ),
        Entry(
            "coauthor",
            "co-authors in four areas of computer science (DBLP), from your own copy of the files",
            "not to be passed on (Ming Ji, Yizhou Sun, Jiawei Han)",
            place=four_area.FOLDER,
            from_place=four_area.read,
            obtain="the DBLP four-area files (DBLP_four_area.zip) that Ming Ji and Yizhou Sun published with their "
            "paper on GNetMine (ECML 2010), from the authors' pages",
        ),
        Entry(
            "wordnet30",
            "WordNet 3.0 synsets, 45 semantic fields",
            "WordNet 3.0 licence",
            stem="wordnet30",
            from_folder=folder.graph_table,
        ),
        _ogb(
            "ogbn-arxiv",
            "papers of arXiv that cite each other, 40 subjects, with years (Open Graph Benchmark)",
            "ODC-BY",
            ogb.arxiv,
            "49f85c801589ecdcc52cfaca99693aaea7b8af16a9ac3f41dd85a5f3193fe276",
        ),
        _ogb(
            "ogbn-products",
            "products that are bought together, 47 categories (Open Graph Benchmark)",
            "Amazon licence",
            ogb.products,
            "5ea0a112edaec2141c0a2a612dd4aed58df97ff3e1ab1a0ca8238f43cbbb50a8",
        ),
        _archived(
            "polblogs",
            "blogs about the US election of 2004 that link to each other, liberal or conservative",
            "no licence stated (Adamic and Glance 2005)",
            blogs.political,
            (Remote("polblogs.tar.gz", ("https://netset.telecom-paris.fr/datasets/polblogs.tar.gz",), ""),),
            check=blogs.political_counts,
        ),
        _archived(
            "blogcatalog",
            "bloggers who are friends, 39 groups; those in several have no label (BlogCatalog3)",
            "no licence stated (Tang and Liu 2009)",
            blogs.catalog,
            (
                Remote(
                    "BlogCatalog-dataset.zip",
                    (
                        "http://datasets.syr.edu/uploads/1283153973/BlogCatalog-dataset.zip",
                        "http://socialcomputing.asu.edu/uploads/1283153973/BlogCatalog-dataset.zip",
                    ),
                    "",
                ),
            ),
            check=blogs.catalog_counts,
        ),
        _archived(
            "elliptic",
            "Bitcoin transactions in 49 time steps, licit, illicit or unknown",
            "CC BY-NC-ND 4.0 (Elliptic)",
            elliptic.transactions,
            _elliptic_remotes(),
        ),
        _landmask("landmask", 30),
        _landmask("landmask10", 10),
        _landmask("landmask5", 5),
    )
}


def entry_of(name: str) -> Entry:
    """The entry of that name."""
    if not isinstance(name, str) or name not in CATALOG:
        raise ParameterError(f"no data set {shown(name)}; the catalog has {', '.join(CATALOG)}")
    return CATALOG[name]


def add(entry: Entry) -> None:
    """Take a data set of somebody's own into the catalog; its name must be free."""
    if not entry.name or entry.name in CATALOG:
        raise ParameterError(f"there is a data set {shown(entry.name)} already; choose another name")
    CATALOG[entry.name] = entry
