"""The words that cross the border: what happened, what to do, and what is written about it."""
