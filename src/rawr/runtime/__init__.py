"""The loop: take a fact, write it down, decide, write that down, act. What an action brings back is a new fact."""
