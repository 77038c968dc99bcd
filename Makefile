# The commands of this repository. Each does its own set-up; a second run does none.
VENV := .venv
PY := $(VENV)/bin/python

.PHONY: help demo test check bench setup clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.test setup ## the main job on real input with no GPU: table, executed notebook, HTML report
	$(PY) tools/demo.py demo

test: $(VENV)/.test $(VENV)/.browser setup ## all tests
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" PLAYWRIGHT_NODEJS_PATH="$(CURDIR)/$(VENV)/bin/playwright-node" $(PY) -m pytest $(ARGS)

check: $(VENV)/.check ## ruff and mypy --strict
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

bench: $(VENV)/.test setup ## speed, as ratios within one run
	$(PY) -m benchmarks

setup: $(VENV)/.test
	@$(VENV)/bin/xpuasm setup

clean: ## remove the environment of this checkout (compilers and captures stay)
	rm -rf $(VENV) demo

$(VENV)/.test: pyproject.toml tools/venv.sh
	@tools/venv.sh $(VENV) $$(python3 tools/group.py test)
	@touch $@

$(VENV)/.check: $(VENV)/.test
	@tools/venv.sh $(VENV) $$(python3 tools/group.py check)
	@touch $@

$(VENV)/.browser: $(VENV)/.test tools/browser.py
	@$(PY) tools/browser.py
	@touch $@
