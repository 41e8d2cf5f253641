"""The large public data sets, from small files in the very layouts of their sources: folders, archives, damage."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

import ohmline as ohm
from ohmline.data import Entry, blogs, catalog, elliptic, ogb
from ohmline.data.archive import Archive, Folder
from ohmline.data.download import Remote
from ohmline.data.tables import GraphTable
from ohmline.errors import DataError, ParameterError, ShapeError

OGB = {
    "raw/num-node-list.csv": "5\n",
    "raw/edge.csv": "0,1\n1,2\n2,0\n3,4\n4,3\n",
    "raw/node-label.csv": "0\n1\n1\n0\n1\n",
    "raw/node_year.csv": "2015\n2013\n2014\n2013\n2020\n",
    "split/time/train.csv": "1\n3\n",
    "split/time/valid.csv": "2\n",
    "split/time/test.csv": "0\n4\n",
    "split/sales_ranking/train.csv": "0\n1\n2\n",
    "split/sales_ranking/valid.csv": "3\n",
    "split/sales_ranking/test.csv": "4\n",
    "mapping/labelidx2arxivcategeory.csv": "label idx,arxiv category\n0,arxiv cs na\n1,arxiv cs mm\n",
}
POLBLOGS = {
    "adjacency.tsv": "0\t1\t1\n1\t2\t1\n2\t1\t1\n",
    "labels.tsv": "0\n1\n1\n",
    "names.tsv": "a\nb\nc\n",
}
BLOGCATALOG = {
    "data/nodes.csv": "1\n2\n3\n4\n",
    "data/edges.csv": "1,2\n2,3\n3,4\n",
    "data/group-edges.csv": "1,1\n2,1\n2,7\n4,39\n",
}
ELLIPTIC = {
    elliptic.FEATURES: "70,2,0.5,-1\n10,1,0.25,3\n30,1,0.0,2\n",
    elliptic.EDGES: "txId1,txId2\n10,30\n70,10\n",
    elliptic.CLASSES: 'txId,class\n10,2\n30,"unknown"\n70,1\n',
}


def packed(files: dict[str, str]) -> dict[str, bytes]:
    """As OGB has them: every CSV in gzip."""
    return {f"{name}.gz": gzip.compress(text.encode()) for name, text in files.items()}


def in_folder(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def in_zip(path: Path, files: dict[str, bytes], top: str = "arxiv") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{top}/{name}", content)
    return path


def plain(files: dict[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in files.items()}


@pytest.mark.parametrize("where", ["folder", "unpacked", "zip"])
def test_ogb(where: str, tmp_path: Path) -> None:
    if where == "zip":
        files: Archive | Folder = Archive([in_zip(tmp_path / "arxiv.zip", packed(OGB))])
    else:
        content = plain(OGB) if where == "unpacked" else packed(OGB)
        files = Folder(in_folder(tmp_path / "ogbn-arxiv", {f"arxiv/{k}": v for k, v in content.items()}))
    table = ogb.arxiv(files)
    data = table.dataset("ogbn-arxiv", "here")
    assert data.graph.n == 5
    assert data.graph.n_edges == 4  # 3-4 is listed twice
    assert data.classes == (("arxiv cs na", "arxiv cs mm") if where != "unpacked" else ("0", "1"))
    assert [data.graph.nodes.position(x) for x in data.stream().nodes] == [1, 3, 2, 0, 4]  # by year
    assert {part: places.tolist() for part, places in data.parts.items()} == {
        "train": [1, 3],
        "valid": [2],
        "test": [0, 4],
    }
    largest = data.largest_component()
    assert largest.graph.n == 3
    assert {part: places.tolist() for part, places in largest.parts.items()} == {
        "train": [1],
        "valid": [2],
        "test": [0],
    }
    assert largest.times.tolist() == [2015, 2013, 2014]
    assert ogb.products(files).dataset("ogbn-products", "").times is None


def test_blogs(tmp_path: Path) -> None:
    path = tmp_path / "polblogs.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in plain(POLBLOGS).items():
            member = tarfile.TarInfo(f"polblogs/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    data = blogs.political(Archive([path])).dataset("polblogs", "")
    assert data.graph.n_edges == 2
    assert list(data.labels) == ["liberal", "conservative", "conservative"]
    blogger = blogs.catalog(Archive([in_zip(tmp_path / "b.zip", plain(BLOGCATALOG), "BlogCatalog-dataset")]))
    assert blogger.dataset("blogcatalog", "").labels[:4] == ["group 1", None, None, "group 39"]
    assert "(10312, 333983, 39)" not in str(blogs.catalog_counts(blogger))
    assert blogs.counts_of(3, 2, 3)(blogs.political(Archive([path]))) is None
    assert "not (4, 2, 3)" in str(blogs.counts_of(4, 2, 3)(blogs.political(Archive([path]))))


def test_political_blogs_have_their_published_counts() -> None:
    """Counts that others publish: of the leanings, and of the largest connected part."""
    rng = np.random.default_rng(0)
    path = np.stack([np.arange(1221), np.arange(1, 1222)], axis=1)
    far = np.array([(a, b) for a in range(60) for b in range(a + 2, 400)])
    ends = np.concatenate([path, rng.permutation(far)[: 16714 - 1221], [[1222, 1223], [5, 5]]])
    labels = np.repeat([0, 1], [758, 732])
    table = GraphTable.of(1490, ends, labels, blogs.LEANINGS)
    assert blogs.political_counts(table) is None
    other = GraphTable.of(1490, ends, 1 - labels, blogs.LEANINGS)
    assert "(732, 758, 1222, 16714), not (758, 732, 1222, 16714)" in str(blogs.political_counts(other))
    apart = np.concatenate([ends[1:], [[1400, 1401]]])  # the first node leaves the large part
    assert "1222" in str(blogs.political_counts(GraphTable.of(1490, apart, labels, blogs.LEANINGS)))
    assert "not (1490, 16715, 1490)" in str(
        blogs.political_counts(GraphTable.of(1490, ends[2:], labels, blogs.LEANINGS))
    )


def test_elliptic_comes_in_the_order_of_time(tmp_path: Path) -> None:
    archives = [in_zip(tmp_path / f"{name}.zip", plain({name: text}), "x") for name, text in ELLIPTIC.items()]
    data = elliptic.transactions(Archive(archives)).dataset("elliptic", "")
    assert list(data.labels) == ["illicit", "licit", None]
    assert data.times.tolist() == [2, 1, 1]
    assert [*zip(data.stream().nodes, data.stream().labels, strict=True)] == [(1, "licit"), (0, "illicit")]
    assert data.features.toarray().tolist() == [[0.5, -1.0], [0.25, 3.0], [0.0, 2.0]]
    assert data.graph.n_edges == 2


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("ogbn-arxiv", packed(OGB)),
        ("ogbn-products", packed(OGB)),
        ("elliptic", plain(ELLIPTIC)),
    ],
)
def test_a_folder_of_the_users_own_is_read(
    name: str, files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_folder(tmp_path / name, files)
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    assert ohm.data.is_here(name)
    assert ohm.data.load(name).name == name


def test_offline_each_says_what_to_fetch_and_where_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHMLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    for name in ("ogbn-arxiv", "ogbn-products", "polblogs", "blogcatalog", "elliptic"):
        entry = catalog.CATALOG[name]
        nowhere = tuple(remote._replace(mirrors=("http://127.0.0.1:9/x.zip",)) for remote in entry.remotes)
        monkeypatch.setitem(catalog.CATALOG, name, _with(entry, nowhere))
        with pytest.raises(
            DataError, match=rf"could not be downloaded.*into the folder {name} of OHMLINE_DATA"
        ):
            ohm.data.load(name)


def _with(entry: Entry, remotes: tuple[Remote, ...]) -> Entry:
    from dataclasses import replace

    return replace(entry, remotes=remotes)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("raw/edge.csv", "0,9\n", "node 9"),
        ("raw/edge.csv", "0\n", "columns, and 2 are needed"),
        ("raw/edge.csv", "a,b\n", "whole numbers"),
        ("raw/edge.csv", "", "is empty"),
        ("raw/node-label.csv", "0\n1\n", "5 nodes and 2 labels"),
        ("split/time/test.csv", "7\n", "names a node that is not there"),
    ],
)
def test_damaged_tables_are_named(name: str, content: str, words: str, tmp_path: Path) -> None:
    files = Folder(in_folder(tmp_path, packed({**OGB, name: content})))
    with pytest.raises(DataError, match=words):
        ogb.arxiv(files)


def test_damaged_archives_are_named(tmp_path: Path) -> None:
    path = in_zip(tmp_path / "arxiv.zip", packed(OGB))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DataError, match=r"damaged|is not in"):
        ogb.arxiv(Archive([path]))
    cut = {name: content[:-6] for name, content in packed(OGB).items()}
    with pytest.raises(DataError, match="damaged"):
        ogb.arxiv(Archive([in_zip(tmp_path / "cut.zip", cut)]))
    with pytest.raises(DataError, match=r"raw/node_year.csv.gz or raw/node_year.csv is not in"):
        ogb.arxiv(Folder(tmp_path / "nothing"))
    twice = {**ELLIPTIC, elliptic.FEATURES: "70,2,0.5\n70,1,0.25\n"}
    with pytest.raises(DataError, match="twice"):
        elliptic.transactions(Folder(in_folder(tmp_path / "twice", plain(twice))))
    strange = {**ELLIPTIC, elliptic.EDGES: "txId1,txId2\n10,31\n"}
    with pytest.raises(DataError, match="names transaction 31"):
        elliptic.transactions(Folder(in_folder(tmp_path / "strange", plain(strange))))


def test_times_and_parts_are_checked() -> None:
    graph = ohm.Graph.from_edges([(0, 1)])
    with pytest.raises(ShapeError):
        ohm.data.Dataset("d", graph, ["a", "b"], times=[1])
    with pytest.raises(ohm.OhmlineError):
        ohm.data.Dataset("d", graph, ["a", "b"], times=[1.0, float("nan")])
    with pytest.raises(ohm.OhmlineError):
        ohm.data.Dataset("d", graph, ["a", "b"], parts={"test": np.array([2])})
    with pytest.raises(
        ParameterError, match=r"parts must be a Mapping, got 'test'; give positions of nodes by name"
    ):
        ohm.data.Dataset("d", graph, ["a", "b"], parts="test")  # type: ignore[arg-type]


def test_the_page_names_every_set() -> None:
    page = (Path(__file__).parents[2] / "docs" / "guide" / "data.md").read_text(encoding="utf-8")
    missing = [name for name in catalog.CATALOG if f"`{name}`" not in page]
    assert not missing
