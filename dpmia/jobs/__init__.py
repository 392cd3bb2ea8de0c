"""What each job of the workflow is asked to do: frozen dataclasses, plain JSON data on the way to scripts."""
