# make run: install and make every figure.  make test: install and run the tests.  make help: the rest.
PYTHON ?= python3
BIN := .venv/bin
CORES ?= all

.PHONY: help install run test test-slow test-all coverage bench lint format lock site clean

help:
	@echo "make install   into .venv"
	@echo "make run       install, then snakemake --cores $(CORES): every figure and table, in results/"
	@echo "make test      install, then the test suite"
	@echo "make test-slow the slow tests alone"
	@echo "make test-all  both"
	@echo "make coverage  the default tests, and what they cover: a report here and in htmlcov/"
	@echo "make bench     how fast the training engines and whole workflows are on this machine"
	@echo "make format    Python and workflow files as ruff and snakefmt write them"
	@echo "make lint      style of Python and workflow files, and types"
	@echo "make site      the documentation as a site, with the outputs of its tutorials, in site/"
	@echo "make lock      requirements.lock and envs/dpmia.yaml, from pyproject.toml and constraints.txt"
	@echo "make clean     remove .venv (results and resources stay)"

install: .venv/installed

# torch first and alone: a build for CPUs that pip was pointed to (PIP_FIND_LINKS, PIP_EXTRA_INDEX_URL) is then kept by
# all that follows.
.venv/installed: constraints.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " + sys.version)'
	@echo "Installing (1 to 4 minutes) ..."
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

run: install
	$(BIN)/snakemake --cores $(CORES)

test: install
	$(BIN)/pytest

# Three at a time on two cores: many of them wait, for a scheduler or a run of their own.
test-slow: install
	$(BIN)/pytest -m slow -n 3

test-all: install
	$(BIN)/pytest -m ''

# TESTS=workflow_tests/unit/metrics measures some tests only.
coverage: install
	$(BIN)/pytest -n auto --cov --cov-report term --cov-report html $(TESTS)

# JAX=PYTHON of an environment with jax and jax-privacy: engines.py measures them, too.
bench: install
	$(BIN)/python benchmarks/engines.py $(if $(JAX),--jax $(JAX))
	$(BIN)/python benchmarks/cnns.py
	$(BIN)/python benchmarks/lightning.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/workflows.py
	$(BIN)/python benchmarks/plot.py

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile rules

# The libraries of torch's build for NVIDIA are no part of it: [tool.uv] in pyproject.toml.
lock: install
	$(BIN)/uv pip compile pyproject.toml --quiet --all-extras --constraint constraints.txt --python-version 3.11 \
		--no-emit-package torch --generate-hashes --no-annotate --custom-compile-command 'make lock' \
		--output-file requirements.lock
	$(BIN)/python envs/generate.py

site: install
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf .venv
