# Targets for trying, testing and changing Footnote. `make` alone lists them.
# scripts/install builds .venv when it is needed; a second run installs nothing and works offline.

.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin

.PHONY: help demo test lint fix bench lock clean

help: ## list the targets
	@sed -n -E 's/^([a-z]+):.*## (.*)/  make \1	\2/p' Makefile | expand -t 16

demo: ## index the sample handbook and talk to it in this terminal (no model server, no tokens)
	@scripts/install runtime
	@FOOTNOTE_DATA_DIR=.demo $(BIN)/footnote chat --channel terminal:local:demo \
		--docs examples/handbook --script examples/conversation.txt

test: ## run the whole test suite
	@scripts/install dev
	@$(BIN)/python -m pytest -q -n auto --dist worksteal

lint: ## check format, rules, types and the direction of imports
	@scripts/install dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

fix: ## format, repair what can be repaired, and write the generated lists again
	@scripts/install dev
	@$(BIN)/python scripts/settings.py
	@$(BIN)/python scripts/tree.py
	@$(BIN)/python scripts/pdf.py
	@$(BIN)/python scripts/manifest.py
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: ## measure the figures of the performance table on this machine
	@scripts/install dev
	@$(BIN)/footnote bench

lock: ## pin the dependencies again, after a change of pyproject.toml
	@scripts/lock

clean: ## remove the environment, the demo's data and all caches; your own data/ stays
	@rm -rf .venv .demo dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
