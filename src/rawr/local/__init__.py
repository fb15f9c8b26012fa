"""This machine: its processes, and the sockets between them. Who is at the other end, before anything is said."""
