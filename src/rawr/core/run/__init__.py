"""Full Auto: one run, from its order to its end."""
