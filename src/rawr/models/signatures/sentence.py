"""The rule for the router's answer: one plain sentence, for a line on the screen."""

import re

LONGEST = 140

_NEXT = re.compile(r"[.!…;]\s+[^\W\d_a-zß-ÿ]")
_MARKDOWN = re.compile(r"[`*#|]|\]\(|^\s*(?:[-+>]|\d+[.)])\s|(?:^|\s)_\S")
_QUOTES = re.compile(r"[\"“”„«»]|^'|['’][.!]?$")


def breaches(text: str) -> tuple[str, ...]:
    """What is wrong with it; empty if it keeps the rule."""
    said = text.strip()
    found = {
        "it is empty": not said,
        "it is more than one line": "\n" in said,
        "it is more than one sentence": bool(_NEXT.search(said)),
        f"it is longer than {LONGEST} characters": len(said) > LONGEST,
        "it is a question": "?" in said,
        "it has markdown": bool(_MARKDOWN.search(said)),
        "it has quotes": bool(_QUOTES.search(said)),
    }
    return tuple(breach for breach, there in found.items() if there)


def reward(text: str) -> float:
    """1.0 for a sentence that keeps the rule, less for each breach."""
    return max(0.0, 1.0 - 0.25 * len(breaches(text)))
