# Every target makes its own virtual environment from Python 3.11+ and make alone.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DATA ?= $(wildcard ../shared/data)
export OHMLINE_DATA ?= $(if $(DATA),$(abspath $(DATA)))

SECONDS ?= 600
SEED ?= $(shell date +%j)

.PHONY: demo test test-slow check bench fuzz docs clean

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ohmline needs Python 3.11 or newer; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $(STAMP)

demo: $(STAMP)  ## play the embedded digits and write report.html
	$(BIN)/ohmline demo

test: check  ## types, style, layers, then every fast test
	$(BIN)/python -m pytest -q -n 2

test-slow: $(STAMP)  ## the long experiments and property tests
	$(BIN)/python -m pytest -q -n 2 -m slow

check: $(STAMP)  ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)  ## every benchmark, each a ratio against a reference
	$(BIN)/ohmline bench

fuzz: $(STAMP)  ## bad arguments, damaged snapshots and files, for SECONDS=600 with SEED=...
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS) --seed $(SEED)

docs: $(STAMP)  ## the pages, into site/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist site
