"""What a command line says, without running it."""
