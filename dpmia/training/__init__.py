"""Training of many small models: engines, their random streams, and the privacy they spend."""
