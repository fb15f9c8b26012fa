"""The structure of a command line: which commands run, where, and with what certainty (B6, C10).

Visits every construct of the tree and passes each simple command to ``leaves``. Runs nothing, raises nothing: anything
not understood is a problem of the line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rawr.observe.shell.context import MAX_NESTING, Context, Gathered
from rawr.observe.shell.leaves import Leaves
from rawr.observe.shell.simple_command import Construct, SimpleCommand
from rawr.observe.shell.syntax import Syntax, substitutions

if TYPE_CHECKING:
    from tree_sitter import Node

_SIMPLE = frozenset({"command", "declaration_command", "unset_command", "variable_assignment", "variable_assignments"})
_TOO_DEEP = f"nested more than {MAX_NESTING} levels deep"


def walk_code(code: bytes, context: Context, *, gathered: Gathered, home: bytes | None) -> None:
    """Add all commands in some shell code to ``gathered``."""
    if context.depth > MAX_NESTING:
        gathered.problem(_TOO_DEEP)
        return
    syntax = Syntax(code)
    for problem in syntax.problems:
        gathered.problem(problem)
    for keyword in syntax.keywords:
        words = tuple(keyword.decode("utf-8", "surrogateescape").split())
        gathered.add(SimpleCommand(words=words, certain=context.certain, within=context.within, scope=context.scope))
    walk = _Walk(syntax, gathered=gathered, home=home)
    if syntax.root is not None:
        walk.visit(syntax.root, context)
        walk.leaves.leftovers(context)


class _Walk:
    def __init__(self, syntax: Syntax, *, gathered: Gathered, home: bytes | None) -> None:
        self.source = syntax.source
        self.gathered = gathered
        self.leaves = Leaves(syntax, gathered=gathered, home=home, whole=self.whole, walk_code=walk_code)

    def visit(self, node: Node, context: Context) -> None:
        if context.depth > MAX_NESTING:
            self.gathered.problem(_TOO_DEEP)
            self._cover(node)
            return
        if self.gathered.full:
            return
        kind = node.type
        if kind in _SIMPLE or (kind == "test_command" and not self.source.startswith(b"[[", node.start_byte)):
            self.leaves.simple(node.start_byte, context)
        elif kind == "comment":
            self._comment(node)
        elif (method := self._structures.get(kind)) is not None:
            method(self, node, context.deeper())
        else:
            self.gathered.problem(f"not understood at byte {node.start_byte}: {kind}")

    def _sequence(self, nodes: list[Node], context: Context) -> None:
        for at, node in enumerate(nodes):
            if not node.is_named:
                self._token(node)
            elif at + 1 < len(nodes) and nodes[at + 1].type == "&":
                self.visit(node, context.inside("background", self.gathered.new_scope()))
            else:
                self.visit(node, context)

    def _children(self, node: Node, context: Context) -> None:
        self._sequence(node.children, context)

    def _list(self, node: Node, context: Context) -> None:
        """``a && b || c`` leans left as deep as it is long; it counts as one level."""
        later: list[Node] = []
        while node.type == "list":
            first, *others = node.children
            later += reversed(others)
            node = first
        self.visit(node, context)
        self._sequence(later[::-1], context.maybe())

    def _pipeline(self, node: Node, context: Context) -> None:
        for part in node.children:
            self._sequence([part], context.inside("pipeline", self.gathered.new_scope()))

    def _redirected(self, node: Node, context: Context) -> None:
        """The word reader includes the redirections, so only the body counts."""
        body = node.child_by_field_name("body")
        if body is None:
            self.leaves.simple(node.start_byte, context)
        else:
            self.visit(body, context)

    def _subshell(self, node: Node, context: Context) -> None:
        context = self.leaves.redirected(node.end_byte, context)
        self._sequence(node.children, context.inside("subshell", self.gathered.new_scope()))

    def _group(self, node: Node, context: Context) -> None:
        context = self.leaves.redirected(node.end_byte, context)
        if self.source.startswith(b"((", node.start_byte):
            self._expression(node, "((", context)
            return
        if self.source[node.start_byte + 1 : node.start_byte + 2] not in (b" ", b"\t", b"\n", b"(", b"\\"):
            self.gathered.problem(f"a word that is no group at byte {node.start_byte}")
        self._sequence(node.children, context)

    def _test(self, node: Node, context: Context) -> None:
        self._expression(node, "[[", self.leaves.redirected(node.end_byte, context))

    def _expression(self, node: Node, name: str, context: Context) -> None:
        """A construct of the shell's own: listed, so that it is not overlooked, with unknown arguments."""
        self.whole(node, context)
        self.leaves.add((name, None), context)

    def _if(self, node: Node, context: Context) -> None:
        context = self.leaves.redirected(node.end_byte, context)
        inner = context
        for part in node.children:
            self._sequence([part], inner)
            if part.type == "then":
                inner = context.maybe("branch")

    def _loop(self, node: Node, context: Context) -> None:
        context = self.leaves.redirected(node.end_byte, context)
        for part in node.children:
            if part.type in ("do_group", "compound_statement"):
                self.visit(part, context.maybe("loop"))
            elif node.type == "while_statement" or not part.is_named or part.type == "comment":
                self._sequence([part], context)
            else:
                self.whole(part, context)

    def _case(self, node: Node, context: Context) -> None:
        context = self.leaves.redirected(node.end_byte, context)
        for part in node.children:
            if part.type == "case_item":
                self._case_item(part, context.maybe("case"))
            elif part.is_named and part.type != "comment":
                self.whole(part, context)
            else:
                self._sequence([part], context)

    def _case_item(self, node: Node, context: Context) -> None:
        patterns = {part.id for part in node.children_by_field_name("value")}
        for part in node.children:
            if part.id in patterns:
                self.whole(part, context)
            else:
                self._sequence([part], context)

    def _function(self, node: Node, context: Context) -> None:
        name = node.child_by_field_name("name")
        text = b"" if name is None else self.source[name.start_byte : name.end_byte]
        inner = context.maybe().inside("function", self.gathered.new_scope())
        inner = inner.replaced(function=text.decode("utf-8", "surrogateescape"))
        for part in node.children:
            if name is not None and part.id == name.id:
                self._cover(part)
            elif not part.type.endswith("_redirect"):  # these are read with the body
                self._sequence([part], inner)

    def whole(self, node: Node, context: Context) -> None:
        """Count a node's text as read, except the commands substituted in it."""
        at = node.start_byte
        for part in substitutions(node):
            self.leaves.coverage.read(at, part.start_byte)
            self._substitution(part, context)
            at = part.end_byte
        self.leaves.coverage.read(at, node.end_byte)

    def _substitution(self, node: Node, context: Context) -> None:
        if context.depth > MAX_NESTING:
            self.gathered.problem(_TOO_DEEP)
            self._cover(node)
            return
        text = self.source[node.start_byte : node.end_byte]
        if text.startswith(b"`") and b"\\" in text:
            self.gathered.problem(f"an escape inside backquotes at byte {node.start_byte}")
        around: Construct = "process_substitution" if node.type == "process_substitution" else "substitution"
        inner = context.deeper().inside(around, self.gathered.new_scope()).replaced(redirects=())
        children = node.children
        with self.leaves.until(node.end_byte - 1):
            if len(children) > 1 and children[1].type == "file_redirect":  # $(< file)
                self.leaves.simple(children[1].start_byte, inner)
                children = [children[0], *children[2:]]
            self._sequence(children, inner)

    def _token(self, node: Node) -> None:
        if node.type == ";;" and (node.parent is None or node.parent.type != "case_item"):
            self.gathered.problem(f"not understood at byte {node.start_byte}: ';;'")
        self._cover(node)

    def _comment(self, node: Node) -> None:
        before = self.source[node.start_byte - 1 : node.start_byte] if node.start_byte else b"\n"
        if before not in (b" ", b"\t", b"\n", b";", b"&", b"|", b"(", b")"):
            self.gathered.problem(f"a comment that is none at byte {node.start_byte}")
        self._cover(node)

    def _cover(self, node: Node) -> None:
        self.leaves.coverage.read(node.start_byte, node.end_byte)

    _structures: ClassVar[dict[str, Callable[[_Walk, Node, Context], None]]] = {
        "program": _children,
        "do_group": _children,
        "ERROR": _children,
        "negated_command": _children,
        "list": _list,
        "pipeline": _pipeline,
        "redirected_statement": _redirected,
        "subshell": _subshell,
        "compound_statement": _group,
        "test_command": _test,
        "if_statement": _if,
        "elif_clause": _if,
        "else_clause": _if,
        "for_statement": _loop,
        "c_style_for_statement": _loop,
        "while_statement": _loop,
        "case_statement": _case,
        "function_definition": _function,
    }
