"""One thread's life: its connection, its turns, what is said to it."""
