"""The typed questions, one file each."""
