"""Who calls: credentials, the ZXWS signature, and the zeep plugin that adds it."""
