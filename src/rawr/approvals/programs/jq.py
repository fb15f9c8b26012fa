"""jq filters that terminate (C10): a closed list of names, and a limit on what can multiply.

jq is a language: it can loop (``repeat``, ``range``, ``def``), read variables (``env``) and other files (``import``).
It can also double its data with every step, ``.,.|.,.``, so the steps that may do so are counted, and combine
everything with everything (``jq_products``). Variables are left out: with them, a filter can start over.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call, readings, spec
from rawr.approvals.programs.costs import costly_expression
from rawr.approvals.programs.jq_products import multiplies

SPEC = spec(
    "-acCejMnrRsS --compact-output --raw-output --raw-input --null-input --slurp --sort-keys --exit-status "
    "--monochrome-output --color-output --join-output --tab --ascii-output --stream --seq",
    width="--indent",
    first=("text",),
    joins="flags",
)
MOST_GROWING = 8
"""How many steps may double the data."""

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+|\#[^\n]*)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<field>\.[A-Za-z_][A-Za-z0-9_]*|\?//|\.\.|\.)
    |(?P<format>@[a-z0-9]+)
    |(?P<number>\d{1,6}(?:\.\d{1,6})?(?![\deE.]))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<operator>==|!=|<=|>=|//(?!=)|[|,+()\[\]{}:;?<>-](?!=))""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_INSERTED = re.compile(r"\\\(\.(?:[A-Za-z0-9_.]|\[\d{1,4}\])*\)", re.ASCII)
"""A path in a string; anything else there is a filter that would have to be read too."""
_NAMES_TEXT = """
    keys keys_unsorted length map map_values select to_entries from_entries with_entries sort sort_by group_by
    unique unique_by min max min_by max_by first last has in contains inside type not empty add any all join
    split test match capture startswith endswith ltrimstr rtrimstr ascii_downcase ascii_upcase tostring tonumber
    if then elif else end and or null true false flatten reverse index rindex indices values nulls strings
    numbers arrays objects scalars iterables booleans paths leaf_paths del tojson fromjson limit nth floor round
    ceil ascii isvalid input inputs error abs trim ltrim rtrim todate fromdate sub gsub scan
    """
_NAMES = frozenset(_NAMES_TEXT.split())
_GROWING = {"+": 1, ",": 1, "tojson": 1, "sub": 1, "gsub": 1, "..": 4, "paths": 4, "leaf_paths": 4}
_MATCHING = frozenset({"test", "match", "capture", "scan", "sub", "gsub", "split"})


def judge_jq(call: Call) -> list[str]:
    return [
        f"The jq filter {shown(operand.raw)} is not known to only select and to finish."
        for read in readings(call, SPEC)
        for operand in read.operands[:1]
        if operand.text is not None and not only_selects(operand.text)
    ]


def only_selects(text: str) -> bool:
    tokens = _tokens(text)
    if tokens is None or _growing(tokens) > MOST_GROWING or multiplies([text for _, text in tokens]):
        return False
    matching = any(text in _MATCHING for _, text in tokens)
    return not (matching and any(kind == "string" and costly_expression(text, tries=True) for kind, text in tokens))


def _tokens(text: str) -> list[tuple[str, str]] | None:
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        at = token.end()
        kind, word = token.lastgroup or "", token[0]
        is_key = text[at : at + 1] == ":" or (found and found[-1][1] in ("{", ",") and text[at : at + 1] in ("}", ","))
        if kind == "name" and word not in _NAMES and not is_key:
            return None
        if kind == "string" and "\\(" in _INSERTED.sub("", word):
            return None
        if kind != "blank":
            found.append((kind, word))
    return found


def _growing(tokens: list[tuple[str, str]]) -> int:
    """Commas between the keys of an object only separate them, unless a value has one in brackets."""
    count = 0
    open_brackets: list[str] = []
    for kind, text in tokens:
        if text in ("{", "(", "["):
            open_brackets.append(text)
        elif text in ("}", ")", "]") and open_brackets:
            open_brackets.pop()
        elif kind == "format":
            count += 1
        elif kind == "string":
            count += text.count("\\(")
        elif text in _GROWING and not (text == "," and open_brackets[-1:] == ["{"]):
            count += _GROWING[text]
    return count
