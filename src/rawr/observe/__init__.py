"""What the agent's commands intend, and what the repository says they did (A5, B6). Decides nothing."""
