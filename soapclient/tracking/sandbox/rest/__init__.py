"""The operations as REST resources with XML and JSON, and the Advertiser interface, which has JSON only."""
