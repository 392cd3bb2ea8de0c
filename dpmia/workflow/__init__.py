"""What only the workflow needs: where files lie, and what it says when a run fails."""
