"""The loop: take a fact, write it down, decide, write that down, act. The outcome of an action is a new fact."""
