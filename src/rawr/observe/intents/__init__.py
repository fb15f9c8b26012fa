"""What a command set out to do."""
