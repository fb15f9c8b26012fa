"""File names as a file system may fold them (C10)."""

import unicodedata


def plain_name(name: str) -> str:
    """A file's name as a case-insensitive, Unicode-folding file system may see it."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    folded = "".join(char for char in folded if unicodedata.category(char) != "Cf")
    # On NTFS, a colon is followed by the name of a stream of the file.
    folded = folded.partition(":")[0].rstrip(". ") or folded
    return ".git" if folded == "git~1" else folded or name
