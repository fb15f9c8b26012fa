"""The bash grammar, bounded (B6). The only module that loads tree-sitter, and only when something is parsed."""

from __future__ import annotations

import functools
import re
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

STAGE = 4096
SLOW = 0.25
"""Seconds of processor time for one more stage. Text that makes sense takes a thousandth of that."""

_PLAIN = bytes(byte if byte in b"\t\n" or 0x20 <= byte < 0x7F else ord("Q") for byte in range(256))
"""Bash treats every byte beyond these as a letter, whatever the locale says. The grammar must not see them: it treats
some as blanks, and its scanner looks characters up in a table that ends long before them, and crashes."""

_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)

_NESTED = """
[(command_substitution) (process_substitution) (expansion) (arithmetic_expansion) (array)] @nested
(ERROR) @error
(MISSING) @missing
"""


@functools.cache
def _language() -> tuple[Language, Query]:
    import tree_sitter
    import tree_sitter_bash

    language = tree_sitter.Language(tree_sitter_bash.language())
    return language, tree_sitter.Query(language, _NESTED)


def tree_of(source: bytes) -> Tree | None:
    """The syntax tree; None if the text is so far from bash that finding its errors would take too long.

    Recovery from errors is quadratic and cannot be interrupted, so long text is tried in growing prefixes.
    """
    from tree_sitter import Parser

    source = _plain(source)
    parser = Parser(_language()[0])
    for end in range(STAGE, len(source), STAGE):
        began = time.thread_time()
        parser.parse(source[:end])
        if time.thread_time() - began > SLOW:
            return None
    return parser.parse(source)


def _plain(source: bytes) -> bytes:
    """The same structure in letters that the grammar reads correctly. An escaped blank is a letter too, not a blank."""
    source = source.translate(_PLAIN)
    if b"\\ " in source or b"\\\t" in source:
        source = _ESCAPE.sub(lambda escape: b"QQ" if escape[1] in b" \t" else escape[0], source)
    return source


def marks(tree: Tree) -> tuple[list[Node], list[Node]]:
    """The constructs that nest inside words, and the places that were not understood."""
    from tree_sitter import QueryCursor

    found = QueryCursor(_language()[1]).captures(tree.root_node)
    return found.get("nested", []), [*found.get("error", []), *found.get("missing", [])]
