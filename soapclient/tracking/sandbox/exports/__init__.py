"""Export jobs: the orders that create them, their states, their files, and the CSV rows in the files."""
