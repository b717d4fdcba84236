"""Run the command line of bindgen with `python -m bindgen`."""

from bindgen.cli import main

main()
