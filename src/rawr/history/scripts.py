"""The commands and patches that are written out in a script of code mode: ``tools.exec_command({cmd: "…"})``.

The script is JavaScript, and no attempt is made to run or to understand it: only literal strings count.
"""

import re

import msgspec

from rawr.history.entries import Change
from rawr.history.patches import changes_of
from rawr.history.shapes import UNREADABLE

MAX_COMMANDS = 64
MAX_SCRIPT = 1_000_000
_CALL = re.compile(
    r"""tools\s*\.\s*(?:exec_command|shell_command|shell)\s*\(\s*\{[^{}]{0,400}?["']?\b(?:cmd|command)["']?\s*:\s*"""
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`)""",
    re.DOTALL,
)
_PATCH = re.compile(
    r"""("(?:[^"\\\n]|\\.)*\*\*\* Begin Patch(?:[^"\\\n]|\\.)*"|`\s*\*\*\* Begin Patch(?:[^`\\]|\\.)*`)""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r"}


def commands_in(script: str) -> tuple[str, ...]:
    found = _CALL.findall(script[:MAX_SCRIPT])
    return tuple(_literal(one) for one in found[:MAX_COMMANDS])


def changes_in(script: str) -> tuple[Change, ...]:
    """The files of the patches in it, whether they are given to the tool at once or by a name."""
    if "*** Begin Patch" not in script:
        return ()
    return tuple(
        change for one in _PATCH.findall(script[:MAX_SCRIPT])[:MAX_COMMANDS] for change in changes_of(_literal(one))
    )


def _literal(text: str) -> str:
    if text.startswith('"'):
        try:
            return msgspec.json.decode(text, type=str)
        except UNREADABLE:
            pass
    return _ESCAPE.sub(lambda match: _NAMED.get(match.group(1), match.group(1)), text[1:-1])
