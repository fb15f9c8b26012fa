"""Pages for people: pure functions from views to one self-contained HTML file."""
