"""A survey of a workspace, for a model."""
