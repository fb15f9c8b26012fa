"""The journal: rawr's memory on disk, an append-only record in SQLite.

One ``Journal`` writes, any number of ``JournalReader`` read, a ``Redactor`` keeps secrets out. The package knows the
core's types and nothing of Codex, of the runtime or of the surfaces.
"""
