"""The version, in a module of its own, so that asking for it does not lead back to the whole API."""

__version__ = "0.1.0"
