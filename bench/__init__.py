"""Speed, memory and retention, as ratios inside one run. ``python -m bench`` runs all of it; see README.md."""
