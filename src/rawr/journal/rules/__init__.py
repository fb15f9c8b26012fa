"""Where secrets are in a text: one rule for each kind, tried in this order.

Rules for several secrets come first, because a placeholder in the middle would split their text; then unmistakable
tokens; rules that go by a name come last, so that a secret is labelled with its own kind if that can be known.
"""

from functools import cache

from rawr.journal.rules import addresses, clients, key_files, languages, named, numbers, token_shapes
from rawr.journal.rules.addresses import PAIR
from rawr.journal.rules.clients import OPTIONS, is_command, passwords_in
from rawr.journal.rules.columns import Columns
from rawr.journal.rules.inserts import Inserts
from rawr.journal.rules.rule import HIDDEN, Finder

__all__ = ["HIDDEN", "OPTIONS", "PAIR", "RULES", "Finder", "is_command", "passwords_in", "rules_for"]


@cache
def rules_for(*, tokens: bool, options: bool, runs: bool) -> tuple[Finder, ...]:
    """The rules that may find something in a text with tokens, options of known programs, or long runs."""
    return (
        Columns(),
        Inserts(),
        addresses.COOKIES,
        key_files.WEB_KEY,
        key_files.MANIFEST,
        *key_files.RULES,
        *(token_shapes.RULES if tokens else ()),
        *addresses.RULES,
        *(clients.OPTION_RULES if options else ()),
        *clients.RULES,
        *languages.RULES,
        *named.RULES,
        *(numbers.RULES if runs else ()),
    )


RULES = rules_for(tokens=True, options=True, runs=True)
