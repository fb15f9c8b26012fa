"""The screens over the main one, one per file: each asks or shows one thing, and Esc closes it."""
