# The commands people type. `.ci/run` runs setup, check, demo, test, docs and exhaustive in a fresh environment.
.PHONY: setup test exhaustive check generate docs demo audit sbom mutation campaigns

setup:
	python3 -m venv .venv
	.venv/bin/pip install -e '.[dev]'

test:
	.venv/bin/pytest

exhaustive:
	.venv/bin/pytest -m exhaustive

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

mutation: # make mutation GROUP=signing
	.venv/bin/pip install -q -e '.[dev,mutation]'
	.venv/bin/python -m tests.mutation $(GROUP)

campaigns:
	.venv/bin/python -m tests.campaigns all
