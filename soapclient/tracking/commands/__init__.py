"""Commands of the tracking service: `soapclient export`, `backfill`, `sandbox`, `demo`, `sign`, `doctor`."""
