"""awk programs that only print (C10): a handful of tokens, none of which can run, read or write anything.

awk pipes, redirects, reads other files and calls ``system``. A program is safe only if it consists of the tokens below
and terminates (``awk_ends``); division is left out because a slash could then be read in two ways.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call, judge, readings, spec
from rawr.approvals.programs.awk_ends import Token, ends
from rawr.approvals.reading.globs import expand

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\n]+)
    |(?P<string>"(?:[^"\\\n]|\\[nt"\\/.|])*")
    |(?P<regex>/(?:[^/\\\[\n]|\\[^\n]|\[\^?[^\]\[/\\\n]+\])+/)
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<operator>&&|\|\||==|!=|>=|<=|\+\+|--|\+=|-=|!~|[{}()\[\];,$~!+*%=<>?:-])""",
    re.VERBOSE | re.ASCII,
)
_REGEX_AFTER = frozenset({"", "{", "}", ";", "(", ",", "&&", "||", "!", "~", "!~"})
_FUNCTIONS = frozenset({"length", "substr", "index", "toupper", "tolower", "int", "split", "sprintf", "if", "for"})
_REFUSED_TEXT = (
    "system getline close fflush ENVIRON PROCINFO ARGV ARGC SYMTAB FUNCTAB function func include load eval "
    "namespace strftime extension while do"
)
_REFUSED = frozenset(_REFUSED_TEXT.split())

_SPEC = spec("", regex="-F", lettered="-F", first=("text",))


def judge_awk(call: Call) -> list[str]:
    problems = judge(call, _SPEC)
    for operands in (read.operands for read in readings(call, _SPEC)):
        if not operands and not problems:
            return ["`awk` has no program."]
        for program in operands[:1]:
            if program.once or program.varying:
                problems.append(
                    f"The awk program {shown(program.raw)} is a pattern, and files may come that it matches."
                )
            if program.text is not None and not only_prints(program.text):
                problems.append(f"The awk program {shown(program.text)} is not known to only print and to finish.")
        for operand in operands[1:]:
            named = expand(operand, call.places, call.folders)[0] if operand.shape else [operand.text or ""]
            if any("=" in name for name in named):
                problems.append(f"{shown(operand.raw)} sets an awk variable.")
    return problems


def only_prints(program: str) -> bool:
    tokens = _tokens(program)
    return tokens is not None and ends(tokens)


def _tokens(program: str) -> list[Token] | None:
    """The tokens, with a newline as a ``;``; None if one of them may do more than print."""
    found: list[Token] = []
    at = depth = 0
    before = last_name = ""
    while at < len(program):
        token = _TOKEN.match(program, at)
        if token is None:
            return None
        at = token.end()
        kind, text = token.lastgroup or "", token[0]
        if kind == "blank":
            if "\n" in text:
                before = ";"
                found.append(("operator", ";"))
            continue
        if kind == "regex" and before not in _REGEX_AFTER:
            return None
        if kind == "name" and text in _REFUSED:
            return None
        depth += (text == "{") - (text == "}")
        if depth < 0:
            return None
        # In braces, `>` could redirect the output of print.
        if text == ">" and depth > 0:
            return None
        if text == "(" and last_name and last_name not in (*_FUNCTIONS, "print", "printf"):
            return None
        last_name = text if kind == "name" else ""
        before = text if kind == "operator" else "word"
        found.append((kind, text))
    return found if depth == 0 else None
