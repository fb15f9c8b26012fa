"""When to compact, and how: from a boundary to the handoff."""
