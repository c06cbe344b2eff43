# Each target sets up what it needs: a virtual environment in .venv, and on Debian
# the system libraries Qt loads.  On Windows see the README for the same by hand.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NUTS := .venv-nuts
LOCKING := .venv-lock
PACKAGING := .venv-package

.PHONY: run test docs coverage bench bench-quick lint lock package package-test clean

run: $(READY)
	$(BIN)/pmlda-gui --demo

test: lint docs
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site, in build/docs; every warning is an error, and nothing is fetched.
docs: $(READY)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs

# Which lines the tests run, by module; the pages are in build/coverage.
coverage: $(READY)
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n 2 --dist loadfile -q \
		--cov --cov-report=term --cov-report=html:build/coverage

bench: $(READY) $(NUTS)/.ready
	PMLDA_NUTS_PYTHON=$(NUTS)/bin/python $(BIN)/python -m benchmarks

bench-quick: $(READY) $(NUTS)/.ready
	PMLDA_NUTS_PYTHON=$(NUTS)/bin/python $(BIN)/python -m benchmarks --quick

# The program as a folder that needs no Python, with its archive and the wheel, in build/dist.
package: $(PACKAGING)/.ready
	bash tools/need.sh objdump binutils xz xz-utils
	$(PACKAGING)/bin/python packaging/make_package.py

# What it needs beyond the program is optional: what cannot be tried is said.
package-test: package
	-bash tools/need.sh Xvfb xvfb desktop-file-validate desktop-file-utils appstreamcli appstream
	$(PACKAGING)/bin/python packaging/try_package.py

# Which exact files the ranges of pyproject.toml stand for, in locks/; UPGRADE=--upgrade takes
# the newest that fit.
lock:
	[ -x $(LOCKING)/bin/python ] || $${PYTHON:-python3} -m venv $(LOCKING)
	$(LOCKING)/bin/python -m pip install --quiet "uv>=0.9,<1" "packaging>=24,<28"
	$(LOCKING)/bin/python tools/lock.py $(UPGRADE)

$(READY): pyproject.toml tools/setup.sh $(wildcard locks/test-*.txt)
	bash tools/setup.sh $(VENV)

# An environment of its own: whatever is installed beside the program may end up in it.
$(PACKAGING)/.ready: pyproject.toml tools/setup.sh $(wildcard locks/packaging-*.txt)
	bash tools/setup.sh $(PACKAGING) packaging

# numpyro is what the sampler is measured against; it stays out of our own environment.
$(NUTS)/.ready: $(READY)
	$(BIN)/python -m venv $(NUTS)
	$(NUTS)/bin/python -m pip install --quiet "numpyro>=0.18,<0.22" "jax>=0.6,<0.12"
	touch $@

clean:
	rm -rf $(VENV) $(NUTS) $(PACKAGING) $(LOCKING) build dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
