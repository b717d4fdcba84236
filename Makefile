# The commands people type. `.ci/run` runs setup, check, demo, test and exhaustive in a fresh environment.
.PHONY: setup test exhaustive night coverage check generate docs demo audit sbom constraints bench mutation campaigns

setup:
	python3 -m venv .venv
	.venv/bin/pip install -e '.[dev,exhaustive]'

test:
	.venv/bin/pytest

exhaustive:
	.venv/bin/pytest -m exhaustive

night:
	.venv/bin/pytest -m night

coverage: export COVERAGE_FILE = $(CURDIR)/build/coverage/data
coverage: export COVERAGE_PROCESS_START = $(CURDIR)/pyproject.toml
coverage:
	.venv/bin/python -m coverage erase
	.venv/bin/pytest
	.venv/bin/pytest -m exhaustive
	.venv/bin/python .ci/covered.py build/coverage/data

check:
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/bindgen check
	.venv/bin/python .ci/reference.py --check

generate:
	.venv/bin/bindgen generate
	.venv/bin/python .ci/reference.py

docs:
	.venv/bin/python .ci/website.py

demo:
	.venv/bin/soapclient demo

audit:
	.venv/bin/python .ci/supply.py audit

sbom:
	.venv/bin/python .ci/supply.py sbom

constraints:
	.venv/bin/python .ci/constraints.py

bench:
	.venv/bin/pip install -q -e '.[dev,exhaustive,bench]'
	.venv/bin/python -m tests.bench

mutation: # make mutation GROUP=signing
	.venv/bin/pip install -q -e '.[dev,mutation]'
	.venv/bin/python -m tests.mutation $(GROUP)

campaigns:
	.venv/bin/python -m tests.campaigns all
