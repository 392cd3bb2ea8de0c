"""What jobs hand each other: typed, versioned files that numpy alone can read."""
