"""State for any surface: projections and events with stable names and typed shapes."""
