"""Text from a model, a repository or a person as Markdown that it cannot break out of.

Inside a code span or a fenced block nothing is Markdown or HTML: no link, no mention, no tag, no heading. A delimiter
that is longer than any run of backticks inside cannot be closed from there.
"""

import re

from rawr.cli.terminal.visible import harmless
from rawr.core.fence import fenced

MAX_SPAN = 500
_RUNS = re.compile(r"`+")


def span(text: str) -> str:
    """One line of code."""
    line = harmless(" ".join(text.split())) or "(empty)"
    line = line if len(line) <= MAX_SPAN else f"{line[: MAX_SPAN - 1]}…"
    ticks = "`" * (max((len(run) for run in _RUNS.findall(line)), default=0) + 1)
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{room}{line}{room}{ticks}"


def block(text: str) -> str:
    """Several lines, as they are."""
    return fenced(harmless(text))
