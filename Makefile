# The commands people type. `.ci/run` does all of this from nothing.
.PHONY: setup test check generate demo

setup:
	python3 -m venv .venv
	.venv/bin/pip install -e '.[dev]'

test:
	.venv/bin/pytest

check:
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/bindgen check
	.venv/bin/python .ci/reference.py --check

generate:
	.venv/bin/bindgen generate
	.venv/bin/python .ci/reference.py

demo:
	.venv/bin/soapclient demo
