"""A look around in a workspace, for a model."""
