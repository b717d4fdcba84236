"""REST beside SOAP: the same operations under addresses, over XML and JSON, and the Advertiser interface."""
