"""The data catalog: embedded sets, the folder, real downloads from a local server, and bad files."""

from __future__ import annotations

import bz2
import collections
import gzip
import hashlib
import json
import os
import pickle
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import ohmline as ohm
from ohmline import data
from ohmline.data import Entry, catalog, folder, loading, pictures, planetoid
from ohmline.data.contract import fingerprint
from ohmline.data.download import Remote, fetch
from ohmline.data.tables import GraphTable
from ohmline.errors import DataError, LabelError, ParameterError, ShapeError


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OHMLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OHMLINE_DATA", raising=False)
    return tmp_path / "cache"


class _Handler(SimpleHTTPRequestHandler):
    """Serves a folder; a name that starts with `cut-` breaks off halfway."""

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        if not name.startswith("cut-"):
            return super().do_GET()
        content = (Path(self.directory) / name.removeprefix("cut-")).read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    root = tmp_path / "served"
    root.mkdir()
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(root)))
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    try:
        yield root, f"http://127.0.0.1:{httpd.server_port}"
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


def _left_in(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.rglob("*")) if cache.exists() else []


# --- embedded -----------------------------------------------------------------------------------


def test_karate_is_zacharys_graph() -> None:
    networkx = pytest.importorskip("networkx")
    theirs = networkx.karate_club_graph()
    ours = data.load("karate")
    s, t, _ = ours.graph.edges()
    assert set(zip(s.tolist(), t.tolist(), strict=True)) == {tuple(sorted(e)) for e in theirs.edges}
    sides = {"Mr. Hi": "instructor", "Officer": "officer"}
    assert ours.labels == [sides[theirs.nodes[k]["club"]] for k in range(34)]


def test_digits_are_scaled_pictures() -> None:
    digits = data.load("digits")
    assert digits.points.shape == (1797, 64)
    assert (digits.points.min(), digits.points.max()) == (0.0, 1.0)
    assert digits.classes == tuple(range(10))
    assert len(digits.only(3, 5)) == int(np.isin(digits.labels, (3, 5)).sum())
    assert len(digits.train) == 1797
    assert len(digits.test) == 0
    assert digits.signs({0, 2, 4, 6, 8})[:3].tolist() == [1.0, -1.0, 1.0]


def test_dataset_parts_stay_aligned() -> None:
    table = GraphTable.of(
        6, np.array([(4, 3), (3, 5), (1, 0), (3, 3)]), np.array([0, 0, -1, 1, 1, 2]), ("a", "b", "c")
    )
    whole = table.dataset("toy", "")
    assert whole.graph.n_edges == 3
    assert whole.graph.dropped_loops == 1
    assert whole.labels == ["a", "a", None, "b", "b", "c"]
    part = whole.largest_component()
    assert list(part.graph.nodes) == [3, 4, 5]
    assert [part.label_of(x) for x in (3, 4, 5)] == ["b", "b", "c"]
    assert part.codes.tolist() == [1, 1, 2]
    assert list(whole.stream()) == [(0, "a"), (1, "a"), (3, "b"), (4, "b"), (5, "c")]
    assert whole.signs("b").tolist() == [-1, -1, -1, 1, 1, -1]
    with pytest.raises(LabelError, match="no class 'z'; the classes are"):
        whole.signs("z")


def test_unknown_name_lists_the_catalog() -> None:
    with pytest.raises(ParameterError, match="no data set 'atlantis'; the catalog has karate"):
        data.load("atlantis")


def test_fingerprint_sees_values_and_shape_not_storage() -> None:
    a = np.arange(6)
    assert fingerprint(a) == fingerprint(a.astype(np.int8))
    assert fingerprint(a) != fingerprint(a.reshape(2, 3))
    assert fingerprint(a) != fingerprint(a[::-1])


# --- the folder ---------------------------------------------------------------------------------


def _write(place: Path, stem: str, **arrays: object) -> None:
    place.mkdir(exist_ok=True)
    np.savez(place / f"{stem}.npz", **arrays)
    digest = hashlib.sha256((place / f"{stem}.npz").read_bytes()).hexdigest()
    (place / f"{stem}.json").write_text(json.dumps({"sha256": digest}))


TOY = {
    "n_nodes": np.int64(3),
    "edge_src": np.array([0, 1]),
    "edge_dst": np.array([1, 2]),
    "labels": np.array([0, 1, -1]),
    "class_names": np.array(["x", "y"]),
}


def test_folder_is_read_without_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, "cora", **TOY)
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    assert data.is_here("cora")
    assert data.load("cora").labels == ["x", "y", None]
    _write(tmp_path, "cora", **{**TOY, "labels": np.array([{}, {}, {}])})
    with pytest.raises(DataError, match="not an archive of plain arrays"):
        data.load("cora")


def test_folder_with_features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = {
        "feature_data": np.array([1.0, 2.0]),
        "feature_indices": np.array([3, 0]),
        "feature_indptr": np.array([0, 1, 1, 2]),
        "n_features": np.int64(4),
    }
    _write(tmp_path, "cora", **TOY, **words)
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    assert data.load("cora").features.toarray().tolist() == [[0, 0, 0, 1], [0, 0, 0, 0], [2, 0, 0, 0]]
    _write(tmp_path, "cora", **TOY, **{**words, "feature_indices": np.array([3, 4])})
    with pytest.raises(DataError, match=r"feature_indices\[1\] is 4"):
        data.load("cora")
    _write(tmp_path, "cora", **TOY, **{**words, "feature_indptr": np.array([0, 2, 1, 2])})
    with pytest.raises(DataError, match="must ascend"):
        data.load("cora")


def test_folder_with_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, "wikimovies4", **TOY, edge_weight=np.array([3, 5]))
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    assert data.load("wikimovies4").graph.degree.tolist() == [3, 8, 5]


def test_landmask_closes_around_the_globe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    land = np.array([[1, 0, 0, 1], [0, 0, 1, 1]], dtype=np.uint8)
    _write(tmp_path, "landmask", land_m30=np.packbits(land, axis=1), shape_m30=np.array([2, 4]))
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    globe = data.load("landmask")
    assert globe.graph.n_edges == 12  # two rings of four, four meridians
    assert set(globe.graph.neighbours(0)) == {1, 3, 4}
    assert globe.labels == ["land" if bit else "ocean" for bit in land.ravel()]


def test_damaged_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    _write(tmp_path, "cora", **TOY)
    content = (tmp_path / "cora.npz").read_bytes()
    (tmp_path / "cora.npz").write_bytes(content[:-10])
    with pytest.raises(DataError, match=r"has sha256 .* but cora.json states"):
        data.load("cora")
    (tmp_path / "cora.npz").write_bytes(content)
    (tmp_path / "cora.json").write_text("{}")
    with pytest.raises(DataError, match="not a JSON object with a sha256"):
        data.load("cora")
    (tmp_path / "cora.json").unlink()
    with pytest.raises(DataError, match=r"has no cora.json beside it"):
        data.load("cora")
    _write(tmp_path, "cora", **{key: TOY[key] for key in TOY if key != "labels"})
    with pytest.raises(DataError, match="no array 'labels'"):
        data.load("cora")
    _write(tmp_path, "cora", **{**TOY, "edge_dst": np.array([1, 9])})
    with pytest.raises(DataError, match="names node 9, but there are 3 nodes"):
        data.load("cora")


def test_folder_that_is_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="which is not a folder; correct it or unset it"):
        data.load("cora")


def test_a_set_without_download_says_so(cache: Path) -> None:
    with pytest.raises(DataError, match="wordnet30 has no download; set OHMLINE_DATA"):
        data.load("wordnet30")
    assert not data.is_here("wordnet30")


# --- parsers of the public sources ----------------------------------------------------------------


def _python2_array(array: np.ndarray) -> bytes:
    """A pickle as Python 2 wrote it: protocol 2, text for bytes, NumPy's old module names."""
    kind, shape = array.dtype.str, array.shape
    raw = array.tobytes().decode("latin1").encode("utf-8")
    dims = b"".join(b"K" + bytes([k]) for k in shape)
    out = b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
    out += b"(K\x01" + b"(" + dims + b"t" + b"cnumpy\ndtype\nU" + bytes([len(kind) - 1]) + kind[1:].encode()
    out += b"K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    out += b"\x89X" + len(raw).to_bytes(4, "little") + raw + b"tb."
    return out


def _write_planetoid(place: Path, name: str) -> GraphTable:
    """Nine nodes: six in `ally`, two of three test nodes labelled, in a shuffled order."""
    graph = collections.defaultdict(list)
    for u, v in [(0, 1), (1, 0), (1, 2), (1, 2), (2, 2), (3, 8), (4, 6), (7, 5), (5, 0)]:
        graph[u].append(v)
    place.mkdir(parents=True, exist_ok=True)
    ally = np.eye(3, dtype=np.int32)[[0, 1, 2, 0, 1, 2]]
    ty = np.eye(3, dtype=np.int32)[[2, 0]]
    (place / f"ind.{name}.graph").write_bytes(pickle.dumps(graph, protocol=2))
    (place / f"ind.{name}.ally").write_bytes(_python2_array(ally))
    (place / f"ind.{name}.ty").write_bytes(pickle.dumps(ty, protocol=2))
    (place / f"ind.{name}.test.index").write_text("8\n6\n")
    words = sparse.csr_matrix(np.arange(12, dtype=np.float32).reshape(6, 2))
    (place / f"ind.{name}.allx").write_bytes(pickle.dumps(words, protocol=2))
    oldest = pickle.dumps(sparse.csr_matrix(np.array([[0.0, 80.0], [60.0, 0.0]])), protocol=0)
    (place / f"ind.{name}.tx").write_bytes(oldest.replace(b"scipy.sparse._csr", b"scipy.sparse.csr"))
    ends = np.array([(0, 1), (1, 2), (2, 2), (3, 8), (4, 6), (5, 7), (0, 5)])
    return GraphTable.of(9, ends, np.array([0, 1, 2, 0, 1, 2, 0, -1, 2]), ("a", "b", "c"))


def _parts(place: Path, name: str) -> dict[str, Path]:
    return {part: place / f"ind.{name}.{part}" for part in planetoid.PARTS}


def test_planetoid_pickles_are_parsed(tmp_path: Path) -> None:
    expected = _write_planetoid(tmp_path, "toy")
    found = planetoid.read(_parts(tmp_path, "toy"), ("a", "b", "c"))
    assert found.fingerprint == expected.fingerprint
    assert found.labels.tolist() == [0, 1, 2, 0, 1, 2, 0, -1, 2]
    words = [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11], [60, 0], [0, 0], [0, 80]]
    assert found.features.toarray().tolist() == words
    whole = found.dataset("toy", "")
    part = whole.largest_component()
    assert part.features.toarray().tolist() == [words[node] for node in part.graph.nodes]
    assert ohm.NodeFeatures(part.features, part.graph).width == 2
    with pytest.raises(ShapeError, match="one row per node is needed"):
        data.Dataset("toy", whole.graph, whole.labels, whole.classes, "", np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("graph", pickle.dumps(os.system), "asks for posix.system"),
        ("graph", pickle.dumps({0: [1]})[:-4], "not a readable pickle"),
        ("graph", pickle.dumps([1, 2]), "does not hold a Planetoid data set"),
        ("ty", pickle.dumps(np.eye(3)), "does not hold a Planetoid data set"),
        ("test.index", b"8\nsix\n", "one node number a line"),
        ("allx", pickle.dumps(np.eye(6)), "does not hold a matrix of compressed sparse rows"),
        ("allx", pickle.dumps(sparse.csr_matrix(np.eye(5)), protocol=2), r"has shape \(5, 5\)"),
        (
            "tx",
            pickle.dumps(sparse.csr_matrix(np.eye(2))).replace(b"indices", b"indicez"),
            "compressed sparse",
        ),
        ("tx", pickle.dumps(collections.Counter("ab"), protocol=0), "asks for collections.Counter"),
        ("tx", pickle.dumps(sparse.csr_matrix(np.array([[1.0, np.nan]] * 2))), "compressed sparse rows"),
    ],
)
def test_planetoid_files_that_are_something_else(
    tmp_path: Path, part: str, content: bytes, message: str
) -> None:
    _write_planetoid(tmp_path, "toy")
    (tmp_path / f"ind.toy.{part}").write_bytes(content)
    with pytest.raises(DataError, match=message):
        planetoid.read(_parts(tmp_path, "toy"), ("a", "b", "c"))


def _idx(array: np.ndarray) -> bytes:
    head = b"\0\0\x08" + bytes([array.ndim]) + b"".join(int(k).to_bytes(4, "big") for k in array.shape)
    return gzip.compress(head + array.astype(np.uint8).tobytes(), mtime=0)


def test_mnist_files_are_parsed_and_shrunk(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    files, kept = {}, []
    for part, labels in (("train", [5, 0, 1, 2]), ("t10k", [2, 9])):
        images = rng.integers(0, 256, (len(labels), 28, 28))
        kept += [images[k] for k, y in enumerate(labels) if y < 3]
        for kind, array in (("images-idx3", images), ("labels-idx1", np.array(labels))):
            path = tmp_path / f"{part}-{kind}-ubyte.gz"
            path.write_bytes(_idx(array))
            files[path.name] = path
    table = pictures.mnist012(files)
    assert table.labels.tolist() == [0, 1, 2, 2]
    assert table.is_test.tolist() == [0, 0, 0, 1]
    # The mean over a window with fractional borders: enlarge every pixel 4 x 4, then average 7 x 7.
    fine = np.repeat(np.repeat(np.array(kept), 4, axis=1), 4, axis=2)
    mean = fine.reshape(4, 16, 7, 16, 7).sum(axis=(2, 4)) / 49
    assert np.array_equal(table.pixels, np.floor(mean + 0.5))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no gzip", "not a gzip file"),
        (gzip.compress(mtime=0, data=b"\0\0\x0d\x01\0\0\0\x01abcd"), "not an IDX file of bytes"),
        (gzip.compress(b"", mtime=0), "not an IDX file of bytes"),
        (
            gzip.compress(mtime=0, data=b"\0\0\x08\x01\0\0\0\x09abcd"),
            r"states the shape \(9,\) and holds 4 bytes",
        ),
        (_idx(np.arange(9))[:-6], "not a gzip file"),
    ],
)
def test_idx_files_that_are_something_else(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.gz").write_bytes(content)
    with pytest.raises(DataError, match=message):
        pictures.read_idx(tmp_path / "x.gz")


def test_usps_lines_are_parsed(tmp_path: Path) -> None:
    files = {}
    for name, lines in (("usps.bz2", "7 1:-1 8:-0.631 256:0.862\n10 2:1\n"), ("usps.t.bz2", "1 1:0.5\n")):
        (tmp_path / name).write_bytes(bz2.compress(lines.encode()))
        files[name] = tmp_path / name
    table = pictures.usps(files)
    assert table.labels.tolist() == [6, 9, 0]
    assert table.is_test.tolist() == [0, 0, 1]
    points = table.vectors("usps", "").points
    assert points[0, [0, 7, 255]].tolist() == [-1.0, -0.631, 0.862]
    (tmp_path / "usps.bz2").write_bytes(bz2.compress(b"7 1:-1 300:0.2\n"))
    with pytest.raises(DataError, match="not a LIBSVM file of 256 features"):
        pictures.usps(files)


# --- downloads ----------------------------------------------------------------------------------


def _served_entry(root: Path, url: str, **more: object) -> Entry:
    expected = _write_planetoid(root, "toy")
    remotes = tuple(
        Remote(
            f"ind.toy.{part}",
            (f"{url}/ind.toy.{part}",),
            "sha256:" + hashlib.sha256((root / f"ind.toy.{part}").read_bytes()).hexdigest(),
        )
        for part in planetoid.PARTS
    )
    return Entry(
        "toy",
        "a toy",
        "none",
        remotes=remotes,
        from_files=lambda files: planetoid.read(
            {part: files[f"ind.toy.{part}"] for part in planetoid.PARTS}, ("a", "b", "c")
        ),
        **{"fingerprint": expected.fingerprint, **more},
    )


def test_download_parse_and_keep(
    cache: Path, server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, url = server
    entry = _served_entry(root, url)
    monkeypatch.setitem(catalog.CATALOG, "toy", entry)
    heard: list[str] = []
    assert not data.is_here("toy")
    assert data.load("toy", listen=heard.append).labels == ["a", "b", "c", "a", "b", "c", "a", None, "c"]
    downloads = [f"downloading {url}/ind.toy.{part}" for part in planetoid.PARTS]
    assert heard[:-1] == downloads
    assert heard[-1].startswith("building a graph of 9 nodes and ")
    assert _left_in(cache) == sorted(remote.name for remote in entry.remotes)
    assert data.is_here("toy")
    shutil.rmtree(root)  # the second time nothing is fetched
    assert data.load("toy", listen=heard.append).graph.n == 9
    assert [message for message in heard if message.startswith("downloading")] == downloads


def test_a_damaged_cached_file_is_fetched_again(cache: Path, server: tuple[Path, str]) -> None:
    root, url = server
    (root / "a.txt").write_bytes(b"good")
    remote = Remote("a.txt", (f"{url}/a.txt",), "sha256:" + hashlib.sha256(b"good").hexdigest())
    cache.mkdir()
    (cache / "a.txt").write_bytes(b"goo")
    assert fetch(remote, lambda message: None).read_bytes() == b"good"


def test_the_next_mirror_is_tried(cache: Path, server: tuple[Path, str]) -> None:
    root, url = server
    (root / "a.txt").write_bytes(b"good")
    remote = Remote("a.txt", (f"{url}/gone.txt", f"{url}/a.txt"), "md5:" + hashlib.md5(b"good").hexdigest())
    assert fetch(remote, lambda message: None).read_bytes() == b"good"
    assert _left_in(cache) == ["a.txt"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.txt", b"x", "404"),
        ("cut-a.txt", b"good" * 1000, "could not be downloaded"),
        ("a.txt", b"other", "hash"),
    ],
    ids=["not found", "truncated", "wrong checksum"],
)
def test_a_bad_download_leaves_nothing(
    cache: Path, server: tuple[Path, str], name: str, content: bytes, message: str
) -> None:
    root, url = server
    (root / "a.txt").write_bytes(content)
    remote = Remote("a.txt", (f"{url}/{name}",), "sha256:" + hashlib.sha256(b"good" * 1000).hexdigest())
    with pytest.raises(DataError, match=message) as caught:
        fetch(remote, lambda message: None)
    assert "OHMLINE_DATA" in str(caught.value)
    assert _left_in(cache) == []


def test_a_cache_that_cannot_be_written_is_named(
    server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, url = server
    (root / "a.txt").write_bytes(b"good")
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("OHMLINE_CACHE", str(tmp_path / "file" / "cache"))
    remote = Remote("a.txt", (f"{url}/a.txt",), "sha256:" + hashlib.sha256(b"good").hexdigest())
    with pytest.raises(DataError, match=r"file/cache.*OHMLINE_CACHE"):
        fetch(remote, lambda message: None)
    assert (tmp_path / "file").read_text() == "not a folder"


def test_no_server_at_all(cache: Path) -> None:
    remote = Remote("a.txt", ("http://127.0.0.1:1/a.txt",), "sha256:00")
    with pytest.raises(DataError, match=r"no answer.*Check the network"):
        fetch(remote, lambda message: None)
    assert _left_in(cache) == []


@pytest.mark.parametrize(
    "more", [{"fingerprint": "0" * 64}, {"check": lambda table: "too small"}], ids=["fingerprint", "counts"]
)
def test_right_checksum_wrong_content_is_removed(
    cache: Path, server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, more: dict[str, object]
) -> None:
    monkeypatch.setitem(catalog.CATALOG, "toy", _served_entry(*server, **more))
    with pytest.raises(DataError, match="the files of toy are not what they should be"):
        data.load("toy")
    assert _left_in(cache) == []


def unchecked(root: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> Remote:
    """A set of one file whose checksum nobody publishes; any three numbers pass."""

    def three(files: dict[str, Path]) -> GraphTable:
        numbers = files["three.txt"].read_text().split()
        return GraphTable.of(len(numbers), np.array([(0, 1)]), np.array(numbers, dtype=int), ("a", "b"))

    remote = Remote("three.txt", (f"{url}/three.txt",), "")
    entry = Entry(
        "toy", "", "", remotes=(remote,), from_files=three, check=lambda t: None if t.n == 3 else "not three"
    )
    monkeypatch.setitem(catalog.CATALOG, "toy", entry)
    (root / "three.txt").write_text("0 1 1")
    return remote


def test_the_first_copy_of_a_file_without_a_checksum_is_remembered(
    cache: Path, server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, url = server
    unchecked(root, url, monkeypatch)
    assert data.load("toy").codes.tolist() == [0, 1, 1]
    digest = hashlib.sha256(b"0 1 1").hexdigest()
    assert (cache / "three.txt.sha256").read_text().strip() == digest
    (cache / "three.txt").write_text("1 0 0")  # passes the check of its counts
    assert data.load("toy").codes.tolist() == [0, 1, 1]  # and is fetched again, because it is another file
    (cache / "three.txt").unlink()
    (root / "three.txt").write_text("1 0 0")
    with pytest.raises(
        DataError, match=r"three\.txt\.sha256 has that of the first copy: remove it for another"
    ):
        data.load("toy")
    assert _left_in(cache) == ["three.txt.sha256"]
    (cache / "three.txt.sha256").unlink()
    assert data.load("toy").codes.tolist() == [1, 0, 0]


def test_what_fails_its_counts_is_not_remembered(
    cache: Path, server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, url = server
    unchecked(root, url, monkeypatch)
    (root / "three.txt").write_text("0 1")
    with pytest.raises(DataError, match="not three"):
        data.load("toy")
    assert _left_in(cache) == []


def test_citeseer_is_checked_by_its_counts() -> None:
    table = GraphTable.of(4, np.array([(0, 1), (1, 1)]), np.array([0, 1, -1, 0]), ("a", "b"))
    check = catalog.CATALOG["citeseer"].check
    assert check is not None
    assert check(table) == "(nodes, edges, classes) are (4, 1, 2), not (3327, 4552, 6)"


# --- the real sets ------------------------------------------------------------------------------


def _real(name: str) -> Path:
    entry = catalog.CATALOG[name]
    place = loading.data_folder(entry)
    if place is None:
        pytest.skip(f"set OHMLINE_DATA to a folder with {entry.stem}.npz")
    return place


@pytest.mark.data
@pytest.mark.parametrize("name", ["cora", "pubmed", "usps", "mnist"])
def test_the_fingerprint_is_that_of_the_folder(name: str) -> None:
    entry = catalog.CATALOG[name]
    assert entry.from_folder is not None
    table = entry.from_folder(folder.read_arrays(_real(name), entry.stem))
    assert table.fingerprint == entry.fingerprint


@pytest.mark.data
def test_cora_has_the_counts_of_paper_004() -> None:
    _real("cora")
    cora = data.load("cora").largest_component()
    assert cora.graph.n == 2485
    assert len(cora.graph.indices) == 10138
    assert len(cora.classes) == 7


@pytest.mark.data
def test_cora_written_as_planetoid_comes_back(tmp_path: Path) -> None:
    """The whole parser at full size, on the real graph in the real format."""
    entry = catalog.CATALOG["cora"]
    assert entry.from_folder is not None
    table = entry.from_folder(folder.read_arrays(_real("cora"), "cora"))
    graph = collections.defaultdict(list)
    for u, v in zip(table.source.tolist(), table.target.tolist(), strict=True):
        graph[u].append(v)
        graph[v].append(u)
    one_hot = np.eye(7, dtype=np.int32)[table.labels]
    order = np.random.default_rng(0).permutation(np.arange(1708, 2708))
    files = {part: tmp_path / f"ind.cora.{part}" for part in planetoid.PARTS}
    files["graph"].write_bytes(pickle.dumps(graph, protocol=2))
    files["ally"].write_bytes(pickle.dumps(one_hot[:1708], protocol=2))
    files["ty"].write_bytes(pickle.dumps(one_hot[order], protocol=2))
    files["test.index"].write_text("\n".join(map(str, order)) + "\n")
    words = sparse.random_array((2708, 1433), density=0.013, format="csr", rng=np.random.default_rng(1))
    files["allx"].write_bytes(pickle.dumps(sparse.csr_matrix(words[:1708]), protocol=2))
    files["tx"].write_bytes(pickle.dumps(sparse.csr_matrix(words[order]), protocol=2))
    found = planetoid.read(files, table.class_names)
    assert found.fingerprint == entry.fingerprint
    assert found.features is not None
    assert (found.features != words).nnz == 0


@pytest.mark.data
def test_paper_counts_of_the_pictures() -> None:
    _real("usps")
    usps = data.load("usps")
    assert (len(usps.train), len(usps.test)) == (7291, 2007)
    assert (usps.points.min(), usps.points.max()) == (-1.0, 1.0)
    _real("mnist")
    mnist = data.load("mnist")
    assert [len(mnist.test.only(*pair)) for pair in ((0, 1), (1, 2))] == [2115, 2167]
