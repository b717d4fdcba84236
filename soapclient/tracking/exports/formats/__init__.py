"""Files of exports: gzip CSV, typed rows, Arrow and Parquet, and checks that a file belongs to its order."""
