"""The tree of one piece of shell code, ready to be walked (B6).

Here-documents are removed first, and so are ``time`` and ``coproc`` before a group: they are keywords that the grammar
takes for programs, and without them it reads the group correctly. All offsets stay the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rawr.observe.shell import grammar, heredocs
from rawr.observe.shell.context import MAX_NESTING
from rawr.observe.shell.coverage import quoted

if TYPE_CHECKING:
    from tree_sitter import Node

_GROUP = rb"(?:[({!]|\[\[|(?:if|while|until|for|case|select|time)(?![^ \t\n;&|()<>]))"
_TIMED = re.compile(rb"time(?:[ \t]+(?:-p|--)(?=[ \t]))*(?=[ \t]+" + _GROUP + rb"|\()")
_COPROC = re.compile(rb"coproc(?:[ \t]+[A-Za-z_][A-Za-z0-9_]*)?(?=[ \t]+" + _GROUP + rb")")


class Syntax:
    """Code with its tree. Words are read from ``source``; the tree's offsets are offsets in it."""

    def __init__(self, code: bytes) -> None:
        self.problems: list[str] = []
        self.keywords: list[bytes] = []
        self.source = code
        self.heredocs: dict[int, heredocs.Heredoc] = {}
        self.root: Node | None = None
        self.nested: dict[int, Node] = {}
        self.ends: dict[int, int] = {}
        scanned = heredocs.scan(code)
        if scanned.too_deep:
            self.problems.append(f"nested more than {MAX_NESTING} levels deep")
            return
        self.source = scanned.words
        self.heredocs = scanned.heredocs
        self.problems += scanned.problems
        self._read(scanned.grammar)

    def _read(self, for_grammar: bytes) -> None:
        tree = grammar.tree_of(for_grammar)
        while tree is not None and (spans := self._group_keywords(tree.root_node)):
            if len(self.keywords) > MAX_NESTING:
                self.problems.append(f"nested more than {MAX_NESTING} levels deep")
                break
            for start, end in spans:
                self.keywords.append(self.source[start:end])
                blank = b" " * (end - start)
                for_grammar = for_grammar[:start] + blank + for_grammar[end:]
                self.source = self.source[:start] + blank + self.source[end:]
            tree = grammar.tree_of(for_grammar)
        if tree is None:
            self.problems.append("it takes too long to parse")
            return
        nested, errors = grammar.marks(tree)
        self.root = tree.root_node
        # If two begin at one place, the outer one counts, and it is found first.
        self.nested = {node.start_byte: node for node in reversed(nested)}
        self.ends = {start: node.end_byte for start, node in self.nested.items()}
        for node in errors:
            at = node.start_byte
            self.problems.append(f"not understood at byte {at}: {quoted(self.source[at:])}")

    def _group_keywords(self, root: Node) -> list[tuple[int, int]]:
        if b"time" not in self.source and b"coproc" not in self.source:
            return []
        spans: list[tuple[int, int]] = []
        stack = [root]
        while stack:
            node = stack.pop()
            if node.type == "command":
                found = _TIMED.match(self.source, node.start_byte) or _COPROC.match(self.source, node.start_byte)
                if found is not None:
                    spans.append(found.span())
            stack += node.named_children
        return sorted(spans)


def substitutions(node: Node) -> list[Node]:
    """The outermost substitutions in a node, in order."""
    found: list[Node] = []
    stack = [node]
    while stack:
        part = stack.pop()
        if part.type in ("command_substitution", "process_substitution"):
            found.append(part)
        else:
            stack += reversed(part.children)
    return found
