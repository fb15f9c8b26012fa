"""Put text that is not ours into a message so that it cannot break out.

Only a line with as many backticks as the opening one closes a block, so a fence longer than any run of backticks inside
holds everything: other fences, headers that look like ours, orders to the agent.
"""

import re

_RUNS = re.compile(r"`+")
LEAST = 3


def fenced(text: str, *, label: str = "") -> str:
    """The text as one fenced block."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(longest + 1, LEAST)
    body = text if text.endswith("\n") or not text else text + "\n"
    return f"{fence}{label}\n{body}{fence}"
