"""Programs on the list, each with the arguments that it may have."""
