"""Where secrets are in a text: one rule for each kind, tried in this order.

Rules for several secrets come first, because a placeholder in the middle would split their text; then unmistakable
tokens; rules that go by a name come last, so that a secret is labelled with its own kind if that can be known.
"""

from collections import Counter
from functools import cache
from typing import NamedTuple

from rawr.journal.rules import (
    addresses,
    aligned,
    below,
    beside,
    clients,
    commands,
    habits,
    key_files,
    languages,
    lines,
    named,
    numbers,
    positions,
    prose,
    revealed,
    sessions,
    settings,
    token_shapes,
    traces,
)
from rawr.journal.rules import labels as short_labels
from rawr.journal.rules.addresses import PAIR
from rawr.journal.rules.clients import OPTIONS, is_command, passwords_in
from rawr.journal.rules.columns import Columns, SpokenColumns
from rawr.journal.rules.inserts import Inserts
from rawr.journal.rules.rule import HIDDEN, Finder
from rawr.journal.rules.stems import Stems

__all__ = ["HIDDEN", "OPTIONS", "PAIR", "RULES", "Chosen", "Finder", "is_command", "passwords_in", "rules_for"]


class Chosen(NamedTuple):
    rules: tuple[Finder, ...]
    clues: frozenset[str]
    """Of all the rules, as far as they are common: many share one."""

    def shown_in(self, low: str) -> set[str]:
        """The clues that a text in lower case has. On the hot path: hundreds are rare, and found together."""
        return {clue for clue in self.clues if clue in low}.union(word for _, word in _rare_clues().find(low))


_RARE_FROM = 4
_COMMON = 2
"""How many rules share a clue that is looked for by itself: it is found soon, or in few texts."""


def _rules(
    *, tokens: bool, options: bool, runs: bool, places: bool, sentences: bool, labels: bool, shown: bool, settled: bool
) -> tuple[Finder, ...]:
    return (
        Columns(),
        Inserts(),
        addresses.COOKIES,
        key_files.WEB_KEY,
        key_files.MANIFEST,
        *key_files.RULES,
        *((*lines.TOKEN_RULES, *token_shapes.RULES) if tokens else ()),
        *addresses.RULES,
        *(clients.OPTION_RULES if options else ()),
        *clients.RULES,
        *((*commands.RULES, *habits.RULES, *sessions.RULES) if settled else ()),
        *((*positions.RULES, *lines.LINE_RULES, *prose.LINE_RULES) if places else ()),
        *lines.RULES,
        *(settings.RULES if settled else ()),
        *settings.NEIGHBOUR_RULES,
        *((aligned.Aligned(), *traces.RULES) if shown else ()),
        *languages.RULES,
        *named.RULES,
        *((SpokenColumns(), *beside.RULES) if sentences else ()),
        *(short_labels.RULES if labels else ()),
        *((*revealed.RULES, *below.RULES) if shown else ()),
        *(numbers.RULES if runs else ()),
    )


RULES = _rules(tokens=True, options=True, runs=True, places=True, sentences=True, labels=True, shown=True, settled=True)


@cache
def rules_for(
    *, tokens: bool, options: bool, runs: bool, places: bool, sentences: bool, labels: bool, shown: bool, settled: bool
) -> Chosen:
    """The rules that may find something in a text with tokens, options of known programs, long runs, lines that are
    known as a whole, sentences in several languages, short labels, commands that show something, or settings
    that need a closer look."""
    rules = _rules(
        tokens=tokens,
        options=options,
        runs=runs,
        places=places,
        sentences=sentences,
        labels=labels,
        shown=shown,
        settled=settled,
    )
    return Chosen(rules, frozenset(clue for rule in rules for clue in rule.clues if not _is_rare(clue)))


@cache
def _times() -> Counter[str]:
    return Counter(clue for rule in RULES for clue in rule.clues)


def _is_rare(clue: str) -> bool:
    return len(clue) >= _RARE_FROM and clue.isascii() and _times()[clue] <= _COMMON


@cache
def _rare_clues() -> Stems:
    return Stems(filter(_is_rare, _times()))
