"""Pages to read: what a run made, in one HTML file that needs nothing else."""
