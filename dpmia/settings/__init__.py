"""What to run: typed settings, concrete jobs, and the seeds that follow from their meaning."""
