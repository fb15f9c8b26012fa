"""Programs on the list, each with what it may be given."""
