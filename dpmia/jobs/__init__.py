"""What each job of the workflow does: frozen dataclasses, plain JSON data on the way to scripts."""
