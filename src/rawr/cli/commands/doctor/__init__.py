"""``rawr doctor``, a subject a file: rawr's home and journal, Codex, the models."""
