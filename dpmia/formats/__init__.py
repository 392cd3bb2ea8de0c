"""What jobs exchange: typed, versioned files that numpy alone can read."""
