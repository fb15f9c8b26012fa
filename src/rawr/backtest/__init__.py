"""A policy over the history of real sessions: when rawr would have compacted, and when Codex did (D4)."""
