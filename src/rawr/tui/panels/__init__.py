"""The panels at the right, one per file. Each has ``look``: it is told which thread to show, and when to look again."""
