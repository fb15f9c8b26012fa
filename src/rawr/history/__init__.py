"""Codex's own session files: what the lines of every version say, as typed entries."""
