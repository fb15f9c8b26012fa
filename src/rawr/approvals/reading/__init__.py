"""The strict reader of a command line."""
