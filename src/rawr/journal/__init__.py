"""The journal: rawr's memory on disk, an append-only record in SQLite.

One ``Journal`` writes, any number of ``JournalReader`` read, a ``Redactor`` keeps secrets out. The package knows the
core's types, but not Codex, the runtime or the surfaces.
"""
