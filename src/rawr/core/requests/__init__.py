"""The server's questions, and rawr's own tools."""
