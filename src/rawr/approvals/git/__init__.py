"""When a git command only reads."""
