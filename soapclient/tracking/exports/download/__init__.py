"""Downloads of export files: trusted addresses, resumable GETs, verification."""
