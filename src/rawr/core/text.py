"""Bounding text. Every text that a state or a fact keeps has passed through here."""


def head(text: str, limit: int) -> str:
    """At most ``limit`` characters from the start; a cut is said."""
    if len(text) <= limit:
        return text
    note = f" […{len(text) - limit} more characters]"
    return text[:limit] + note


def tail(text: str, limit: int) -> str:
    """At most ``limit`` characters from the end; a cut is said."""
    if len(text) <= limit:
        return text
    return f"[{len(text) - limit} earlier characters…] " + text[len(text) - limit :]
