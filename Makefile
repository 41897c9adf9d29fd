SHELL := /bin/bash
.DEFAULT_GOAL := help

bin := .venv/bin
pytest := $(bin)/python -m pytest
fast := tests/unit tests/property tests/sql tests/conformance
ready := .venv/setup.stamp
bench_ready := .venv/bench.stamp
compile := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

# The tests start many processes, and without cached bytecode each would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo up test test-service test-crash lint sql bench-queue bench-extraction soak fuzz lock clean

help: ## list these verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(ready) ## make .venv from the lock file
	@echo "Ready: $(bin)/outlast"

demo: $(ready) ## run an export for real, then again through a killed worker
	$(bin)/outlast demo

up: $(ready) ## API and worker on the demo's data, until Ctrl-C
	$(bin)/outlast up

test: $(ready) ## the whole suite: the fast part first, then real crashes
	scripts/system-tools
	$(pytest) $(fast)
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-service test-crash

# Both mostly wait for processes, so they share two cores.
test-service: $(ready)
	$(pytest) tests $(fast:%=--ignore=%) --ignore=tests/crash

test-crash: $(ready)
	$(pytest) tests/crash

lint: $(ready) ## style, types and the direction of imports
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	$(bin)/mypy $(wildcard src tests bench examples)
	$(bin)/lint-imports

sql: $(ready) ## write the compiled SQL that tests/sql/golden keeps for review
	$(bin)/python -m tests.sql.write

bench-queue: $(bench_ready) ## acceptance, throughput and claim time, beside other queues
	$(bin)/python -m bench.queue

bench-extraction: $(bench_ready) ## files, beside the databases' own tools and what people write
	$(bin)/python -m bench.extraction

soak: $(ready) ## the suite with many more crashes, images and interleavings (hours)
	scripts/system-tools
	OUTLAST_SOAK=1 $(pytest) --hypothesis-profile=soak --timeout=7200 tests

fuzz: $(ready) ## the property tests with many more examples
	$(pytest) -m hypothesis --hypothesis-profile=fuzz --timeout=3600 tests

lock: ## bring the lock files up to date with pyproject.toml (needs uv)
	$(compile) pyproject.toml --all-extras --group dev --output-file requirements/dev.lock
	$(compile) --group bench --constraints requirements/dev.lock --output-file requirements/bench.lock

clean: ## remove .venv and caches
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .schemathesis
	find src tests bench examples -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(ready): requirements/dev.lock pyproject.toml scripts/setup scripts/install
	scripts/setup
	@touch $@

$(bench_ready): requirements/bench.lock $(ready)
	scripts/install --require-hashes -r $<
	@touch $@
