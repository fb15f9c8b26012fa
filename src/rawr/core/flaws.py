"""Flaws in a model's words that must not reach a person or an agent (C11, C15)."""

import re

SENTENCE = 140
"""Characters of a sentence for a line on a screen."""

_SHORT = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|no|approx)\.\s", re.IGNORECASE)
_ANOTHER = re.compile(r"[.!…;][\"'”’)\]]*\s+\S")
_MARKDOWN = re.compile(
    r"`|\*\*|__|~~|\]\(|^\s*(?:#|>|[-*+]\s|\d+[.)]\s)|(?<!\w)[*_]\S[^*_]*[*_](?!\w)|^\s*\||\|\s*$", re.MULTILINE
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def sentence_flaw(text: str) -> str:
    """What is wrong with a text that should be one plain sentence for a person; empty if nothing is."""
    said = text.strip()
    if not said:
        return "it is empty"
    if len(said) > SENTENCE:
        return f"it has more than {SENTENCE} characters"
    if _CONTROL.search(said):
        return "it is more than one line"
    if "?" in said:
        return "it is a question"
    if _MARKDOWN.search(said):
        return "it has markdown"
    if _ANOTHER.search(_SHORT.sub(" ", said)):
        return "it is more than one sentence"
    return ""


_ERROR = re.compile(
    "|".join(
        (
            r"\[rawr|rawr\s*:|(?:unavailable|timed_out|unreadable|refused|lost)\s*:",
            r"[\w.]*(?:error|exception|timeout|failure)\s*[:\[(]|traceback \(most recent call last\)",
            r"(?:\w+\s+){0,4}failed\s*:|failed to\s",
            r"(?:could not|cannot|can't|unable to) (?:reach|connect|ask|build|parse)\b",
            r"http(?:/\d\S*)?\s+[45]\d\d\b|(?:rate limit|usage limit|quota) (?:reached|exceeded)",
            r"\{\s*\"(?:error|detail)\"|<!doctype html|<html|no (?:model|answer|usable answer)\b",
        )
    ),
    re.IGNORECASE,
)
"""How errors begin: rawr's own, a program's, a server's."""


def directive_flaw(text: str) -> str:
    """Why a text is not a directive for an agent: it is empty, or it is the text of an error (C15)."""
    said = text.strip().lstrip("*_`>\"'“# ")
    if not said:
        return "it is empty"
    if _ERROR.match(said):
        return "it is the text of an error"
    return ""
