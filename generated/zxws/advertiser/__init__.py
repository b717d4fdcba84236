"""Bindings of advertiser 2015-03-01."""
