"""Reading a block out of a message again, as a reader of Markdown would."""

import re

from rawr.core.fence import LEAST


def unfenced(message: str, *, label: str = "") -> str | None:
    """The content of the first block with this label, as ``fence.fenced`` made it."""
    opening = re.search(rf"^(`{{{LEAST},}}){re.escape(label)}$", message, re.MULTILINE)
    if opening is None:
        return None
    closing = re.compile(rf"^{opening[1]}$", re.MULTILINE).search(message, opening.end() + 1)
    return message[opening.end() + 1 : closing.start()] if closing is not None else None
