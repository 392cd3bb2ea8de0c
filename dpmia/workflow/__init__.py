"""What only the workflow needs: where files lie, and what it prints when a run fails."""
