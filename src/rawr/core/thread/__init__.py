"""One thread's life: its connection, its turns, the messages to it."""
