"""A tiny reader of rawr's messages: what stands there in rawr's own voice, and what is only quoted.

It knows nothing of how they are written. Blocks are those of CommonMark, a line ends wherever some reader of Unicode
says that it does, and “…” is a quotation.
"""

import re

QUOTATION = re.compile("“[^“”]*”")
_OPENING = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)")


def voice(message: str) -> list[str]:
    """The lines outside of blocks, with ``“”`` in the place of each quotation; a block is ``(label)``."""
    lines: list[str] = []
    fence = ""
    for line in message.splitlines():
        opening = _OPENING.fullmatch(line)
        if fence:
            # At most three spaces, and at least as many of the same mark as opened it.
            mark = line.rstrip()
            if (
                len(line) - len(line.lstrip(" ")) <= 3
                and len(mark.lstrip(" ")) >= len(fence)
                and set(mark.lstrip(" ")) == {fence[0]}
            ):
                fence = ""
        elif opening is not None:
            fence = opening[1]
            lines.append(f"({opening[2].strip()})")
        else:
            lines.append(QUOTATION.sub("“”", line))
    assert not fence, f"a block is never closed: {message[:2_000]}"
    return lines
