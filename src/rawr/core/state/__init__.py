"""What is known about a thread, a run and the host."""
