"""What kind of work a thread is at: research, implement, test or release (B3).

A person says so, or a phase that is marked as over names what comes next. Nothing is guessed from the work itself.
"""

import re
from typing import Literal, get_args

Mode = Literal["", "research", "implement", "test", "release"]
MODES: tuple[str, ...] = tuple(one for one in get_args(Mode) if one)

_WORDS: dict[Mode, str] = {
    "research": r"research\w*|explor\w*|investigat\w*|analy[sz]\w*|discover\w*|reading|understand\w*|survey|"
    r"spike|design\w*|plan(?:ning)?",
    "test": r"test\w*|verif\w*|validat\w*|qa|checks?|checking|benchmark\w*|measur\w*",
    "release": r"releas\w*|ship\w*|deploy\w*|publish\w*|launch\w*|roll ?out|tag(?:ging)?|packag\w*",
    "implement": r"implement\w*|build\w*|cod(?:e|ing)|develop\w*|draft\w*|"
    r"writ(?:e|ing)|fix\w*|refactor\w*|migrat\w*|port(?:ing)?|edit\w*|mend\w*",
}
_NAMED = re.compile("|".join(rf"\b(?P<{mode}>(?:{words}))\b" for mode, words in _WORDS.items()), re.IGNORECASE)


def named_in(phase: str) -> Mode:
    """The mode that a phase's name begins with, as far as it names one: “write the tests” is implementing."""
    found = _NAMED.search(phase)
    kind = found.lastgroup if found is not None else None
    return next((mode for mode in _WORDS if mode == kind), "")
