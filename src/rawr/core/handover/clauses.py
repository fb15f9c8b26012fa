"""A packet's sentences, so that a claim can be told from what is denied, planned or wished for (D2).

Agents write packets in English under the headings they are given, in lines of any length. What is in a code block is
quoted, and claims nothing.
"""

import re

_FENCED = re.compile(r"^[ \t]*(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_BEGINS = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s|\|)|^\s*$")
"""A line that begins something new; any other goes on with the one before."""
_ENDS = re.compile(r"(?<=[.!?;])(?<!e\.g\.)(?<!i\.e\.)\s+|,?\s+(?:but|although|though|however|whereas)\s+")
_OPEN = re.compile(
    r"\b(?:no|not|never|without|cannot|none|nothing|neither|nor|unable|todo|would|should|must|shall|will|needs?|has to|"
    r"have to|going to|to be|to do|next|later|until|unless|if|once|pending|remain(?:s|ing)?|yet|instead|missing|"
    r"absent|lacks?|unfinished|skip(?:s|ped)?|expect(?:s|ed)?|want(?:s|ed)?|asked?|require[sd]?|supposed|ensure|"
    r"make sure|rather than|consider|please|to (?:confirm|verify|check|see|validate)|blocked|deferred|could|may|might|"
    r"plan(?:ned|s)? to|propose[sd]?|intend(?:s|ed)?|aborted|cancelled|decided against|stays? out|left out|reverted|"
    r"undone|hypothetical|example)\b|n['’]t\b|e\.g\.|\[ \]",
    re.IGNORECASE,
)
"""Words by which a clause states something other than what happened."""
_BUT_STATES = re.compile(
    r"\b(?:no (?:errors?|failures?|issues?|warnings?|problems?)|not only|next\.js)\b", re.IGNORECASE
)

LONGEST = 1_000
"""Characters of a clause that are read: a page without a full stop must not take long."""
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+")


def clauses(text: str) -> list[str]:
    """One claim at a time, as far as punctuation tells."""
    paragraphs: list[str] = []
    for line in _FENCED.sub("\n", text).split("\n"):
        if not paragraphs or _BEGINS.match(line):
            paragraphs.append(line.strip())
        else:
            paragraphs[-1] = f"{paragraphs[-1]} {line.strip()}"
    return [clause[:LONGEST] for one in paragraphs for clause in _ENDS.split(one) if clause and clause.strip()]


def is_stated(words: str) -> bool:
    """Return True if nothing in the words denies, plans or wishes what they name."""
    return _OPEN.search(_BUT_STATES.sub(" ", _URL.sub(" ", words))) is None


def around(clause: str, start: int, end: int) -> str:
    """What belongs to a place in the clause: the part between the commas around it that could deny it."""
    before = max(clause.rfind(sign, 0, start) for sign in (", ", ": ", "; ", "("))
    return clause[max(before, 0) : end]
