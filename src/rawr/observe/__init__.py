"""What the agent's commands set out to do and what the repository says they did (A5, B6). Decides nothing."""
