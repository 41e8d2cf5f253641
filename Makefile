# Every target makes its own virtual environment from Python 3.11+ and make alone.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DATA ?= $(wildcard ../shared/data)
export OHMLINE_DATA ?= $(if $(DATA),$(abspath $(DATA)))

SECONDS ?= 600
SEED ?= $(shell date +%j)

MINIMUM := .cache/minimum
OTHER := .cache/other-python
# The fast core: what everything else stands on.
CORE := tests/graph/test_graph.py tests/graph/test_connectivity.py tests/graph/test_files.py \
	tests/kernel/test_kernels.py tests/kernel/test_algebra.py tests/learn/test_perceptron.py tests/learn/test_pounce.py \
	tests/learn/test_projection.py tests/learn/test_local_lgc.py tests/game/test_play.py tests/bound/test_perceptron.py tests/job

.PHONY: demo test test-slow test-minimum test-python check reproduce-quick bench fuzz notebook docs figures pictures clean

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ohmline needs Python 3.11 or newer; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $(STAMP)

demo: $(STAMP)  ## play the embedded digits and write report.html
	$(BIN)/ohmline demo

test: check  ## types, style, layers, then every fast test
	$(BIN)/python -m pytest -q -n 2

test-slow: $(STAMP)  ## the long experiments and property tests; with MINUTES=20 as many as begin within that time
	$(BIN)/python -m pytest -q -n 2 -m slow $(if $(MINUTES),-rs --minutes $(MINUTES) --turn $(SEED))

test-minimum:  ## the fast core with the lowest versions that pyproject.toml allows (PYTHON=python3.11)
	$(PYTHON) -m venv --clear $(MINIMUM)
	$(MINIMUM)/bin/python -m pip install --quiet --disable-pip-version-check uv
	(sed -n 1p tools/minimum.txt; $(MINIMUM)/bin/uv pip compile --quiet --no-header --no-annotate --python-version 3.11 \
		--resolution lowest-direct --extra plot --extra io pyproject.toml) > $(MINIMUM)/minimum.txt
	cp $(MINIMUM)/minimum.txt tools/minimum.txt
	$(MINIMUM)/bin/python -m pip install --quiet --disable-pip-version-check -c tools/minimum.txt \
		-e '.[plot,io]' pytest pytest-timeout hypothesis
	NUMBA_CACHE_DIR=$(MINIMUM)/machine-code $(MINIMUM)/bin/python -m pytest -q -p no:cacheprovider \
		-W ignore::DeprecationWarning $(CORE)
	NUMBA_CACHE_DIR=$(MINIMUM)/machine-code $(MINIMUM)/bin/ohmline demo --out $(MINIMUM)/report.html

test-python:  ## the fast core on another Python, with the newest versions of everything (PYTHON=python3.13)
	$(PYTHON) -m venv --clear $(OTHER)
	$(OTHER)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[plot,io]' pytest pytest-timeout hypothesis
	NUMBA_CACHE_DIR=$(abspath $(OTHER))/machine-code $(OTHER)/bin/python -m pytest -q -p no:cacheprovider $(CORE)
	NUMBA_CACHE_DIR=$(abspath $(OTHER))/machine-code $(OTHER)/bin/ohmline demo --out $(OTHER)/report.html

check: $(STAMP)  ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy
	$(BIN)/lint-imports

reproduce-quick: $(STAMP)  ## every experiment, with fewer repetitions, into .cache/reproduce; fails where a claim does
	$(BIN)/ohmline reproduce all --quick --strict --jobs 2 --out .cache/reproduce || [ $$? = 3 ]  # 3: data are missing

bench: $(STAMP)  ## every benchmark, each a ratio against a reference
	$(BIN)/ohmline bench

fuzz: $(STAMP)  ## bad arguments, damaged snapshots and files, for SECONDS=600 with SEED=...
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS) --seed $(SEED)

notebook: $(STAMP)  ## run docs/examples/everyday.ipynb again and keep what it shows
	$(BIN)/python tools/notebook.py

docs: $(STAMP)  ## the pages, into site/; a warning is an error
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/python -m sphinx -q -W --keep-going -d .cache/doctrees -c tools/site docs site

figures: $(STAMP)  ## measures the numbers that README and docs print again (an hour)
	$(BIN)/python tools/figures.py

pictures: $(STAMP)  ## draws the pictures of the docs again
	$(BIN)/python tools/pictures.py

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist site
