"""Run the command `soapclient` as `python -m soapclient`."""

from __future__ import annotations

import sys

from soapclient.cli import main

if __name__ == "__main__":
    sys.exit(main())
