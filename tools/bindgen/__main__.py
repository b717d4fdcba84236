"""`python -m bindgen`."""

from bindgen.cli import main

main()
