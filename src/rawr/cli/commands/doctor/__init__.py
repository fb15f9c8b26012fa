"""``rawr doctor``, one subject per file: rawr's home and journal, Codex, the models."""
