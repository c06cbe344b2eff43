# Each target sets up what it needs: a virtual environment in .venv, and on Debian
# the system libraries Qt loads.  On Windows see the README for the same by hand.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NUTS := .venv-nuts

.PHONY: run test bench bench-quick lint clean

run: $(READY)
	$(BIN)/pmlda-gui --demo

test: lint
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY) $(NUTS)/.ready
	PMLDA_NUTS_PYTHON=$(NUTS)/bin/python $(BIN)/python -m benchmarks

bench-quick: $(READY) $(NUTS)/.ready
	PMLDA_NUTS_PYTHON=$(NUTS)/bin/python $(BIN)/python -m benchmarks --quick

$(READY): pyproject.toml tools/setup.sh
	bash tools/setup.sh $(VENV)

# numpyro is what the sampler is measured against; it stays out of our own environment.
$(NUTS)/.ready: $(READY)
	$(BIN)/python -m venv $(NUTS)
	$(NUTS)/bin/python -m pip install --quiet "numpyro>=0.18,<0.22" "jax>=0.6,<0.12"
	touch $@

clean:
	rm -rf $(VENV) $(NUTS) build dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
