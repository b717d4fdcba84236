"""REST: the same operations as resources, over XML and JSON, and the Advertiser interface."""
