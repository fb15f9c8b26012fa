"""What survives a compaction: the packet, its check, the handoff."""
