"""Export jobs: what may be ordered, the rows of a report, the file they end in, the life of a job."""
