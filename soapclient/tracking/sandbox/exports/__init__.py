"""Export jobs: orders, the rows of a report, the file of a job, and the states of a job."""
