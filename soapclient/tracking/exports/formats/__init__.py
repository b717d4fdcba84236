"""Files that an export gives: gzip CSV, typed rows, Arrow, Parquet, and whether they are what was ordered."""
