# Every target makes the environment it needs, and costs nothing when that is there already.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.run-installed
DEV    := $(VENV)/.dev-installed
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# The suite starts rawr hundreds of times: what Python compiled of it is kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-bare test-more browser check bench calibrate soak crash compat docs format clean

help:
	@echo "make demo    take a real Codex through a turn on a scripted model, and show it"
	@echo "make test    the whole suite, on the real Codex"
	@echo "make test-bare   the same, as on a machine that has only what the README asks for"
	@echo "make test-more   what tries the programs of this machine, and the pages in a browser (make browser installs one)"
	@echo "make check   ruff, mypy, import-linter, docs"
	@echo "make bench   speed and memory, as ratios in one run"
	@echo "make calibrate   precision and recall of the signals on labelled turn ends (HISTORY=DIR with their session files)"
	@echo "make soak    look for trouble for longer: schedules and command lines that nobody wrote (MINUTES=10)"
	@echo "make crash   kill rawr, its host and Codex at every point, start again, look for damage (KILLS=640, CASE=one case)"
	@echo "make compat  run rawr on several versions of the real Codex (VERSIONS='0.153.4 latest')"
	@echo "make docs    regenerate docs/reference and the picture from the code"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "rawr needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(RUN): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[codex]'
	@touch $@

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@ $(RUN)

demo: $(RUN)
	$(BIN)/rawr demo

test: $(DEV)
	$(BIN)/python -m pytest -n 2 --dist loadgroup

# A PATH with Python, git, make, bash and the coreutils, and nothing else: no test may need what a machine happens to have.
# It is not in the checkout: rawr runs no program of its own from inside a project.
test-bare: $(DEV)
	folder=$$(mktemp -d -p /var/tmp) && trap 'rm -rf "$$folder"' EXIT && path=$$($(BIN)/python scripts/bare_path.py "$$folder") && \
	  PATH="$$path" $(BIN)/python -m pytest -n 2 --dist loadgroup

# What looks at the programs of this machine, with all of them.
test-more: $(DEV) browser
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m 'machine and not soak'

# The pages are tried in a real browser. Without one, and without the right to install it, those tests are skipped.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null; } || \
	  echo "no chromium, and it cannot be installed here: the tests in a browser are skipped" >&2

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/phrases.py --check
	$(BIN)/python scripts/docs.py --check

bench: $(DEV)
	$(BIN)/python -m bench

HISTORY ?=
calibrate: $(DEV)
	@[ -n "$(HISTORY)" ] || { echo "say where the labelled session files are: make calibrate HISTORY=DIR" >&2; exit 2; }
	@$(BIN)/python -m calibration '$(HISTORY)'

MINUTES ?= 10
soak: $(DEV)
	$(BIN)/python scripts/soak.py $(MINUTES)
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m soak
	RAWR_SOAK=$$(($(MINUTES) * 60)) $(BIN)/python -m pytest -n 0 --timeout 0 tests/approvals/test_mixes.py

KILLS ?= 640
SEED  ?= 1
CASE  ?=
crash: $(DEV)
	$(BIN)/python -m tests.crash --kills $(KILLS) --seed $(SEED) $(if $(CASE),--case '$(CASE)')

# Fetches programs, so it needs a network; they are kept outside the checkout.
VERSIONS ?=
compat: $(DEV)
	$(BIN)/python -m tests.compat $(VERSIONS)

docs: $(DEV)
	$(BIN)/python scripts/phrases.py
	$(BIN)/python scripts/picture.py
	$(BIN)/python scripts/screen_picture.py
	$(BIN)/python scripts/docs.py

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache bench/results
