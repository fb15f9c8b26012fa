"""The rules, as data."""
