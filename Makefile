# `make help` lists what there is. Needs python3 (3.11 or newer), git and make, nothing else.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BIN := .venv/bin
CODE := states activities workflows phasegate worker.py benchmarks tests
PYTHON ?= python3
BENCHMARKS = $(patsubst benchmarks/%.py,benchmarks.%,$(shell grep -l '__name__ == "__main__"' benchmarks/*.py))

NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
# an older python3 is passed over when a newer one stands beside it under its versioned name
FOUND = $(firstword $(foreach p,$(PYTHON) python3.13 python3.12 python3.11 python3.14,\
	$(shell $(p) -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo $(p))))

.PHONY: help venv demo test check kill-matrix bench lock docs histories format clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

venv: .venv/.stamp  ## make the environment, from the lock alone

.venv/.stamp: requirements.lock pyproject.toml
	@test -n "$(FOUND)" || { echo "phasegate needs Python 3.11 or newer; install it, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(FOUND) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(FOUND) cannot make environments; install its venv package (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }
	$(FOUND) -m venv .venv
	@echo "fetching what requirements.lock names; this is quiet and takes a minute or a few"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: venv  ## one job through the whole story, on an embedded server
	$(BIN)/phasegate demo

test: venv  ## the tests, without the ones that take minutes
	$(BIN)/python -m pytest -n 3 -m "not slow"

check: venv  ## what CI runs: format, lint, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict $(CODE)
	$(BIN)/python -m pytest -n 3 -m "not slow"

kill-matrix: venv  ## the tests that kill workers and servers everywhere; minutes
	$(BIN)/python -m pytest -n 3 -m slow

bench: venv  ## measure; each benchmark prints a table
	@for module in $(BENCHMARKS); do echo "== $$module"; $(BIN)/python -m $$module || exit 1; done

docs: venv  ## write what is generated from the tables
	$(BIN)/python -m states.diagram

histories: venv  ## record the replay histories again, after a change that running jobs cannot follow
	$(BIN)/python -m tests.replay.record
	$(BIN)/python -m tests.replay.record_cooperation
	$(BIN)/python -m tests.replay.record_acting

format: venv  ## format and fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: build/uv/bin/uv  ## resolve the dependencies anew, for every platform and Python
	build/uv/bin/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-emit-find-links --no-header --quiet -o requirements.lock
	@! grep -nE '://|file:|^-' requirements.lock || { echo "requirements.lock must name no index and no path" >&2; exit 1; }

build/uv/bin/uv:
	$(FOUND) -m venv build/uv
	build/uv/bin/python -m pip install --quiet --disable-pip-version-check uv

clean:  ## remove the environment and everything that was built
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
