"""What all wire types share."""

from msgspec import Struct


class Wire(Struct, frozen=True, gc=False, kw_only=True, rename="camel", omit_defaults=True):
    """A JSON object with camelCase names. Unknown fields are ignored; a field with a default may be absent."""
