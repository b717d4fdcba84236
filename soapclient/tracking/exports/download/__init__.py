"""Downloads: which addresses are trusted, resumable GETs, verified files."""
