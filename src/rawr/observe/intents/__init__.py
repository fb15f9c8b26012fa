"""What a command intends."""
