"""The commands, patches and plans that are written out in a script of code mode: ``tools.exec_command({cmd: "…"})``.

The script is JavaScript, and no attempt is made to run or to understand it: only literal values count.
"""

import re

from rawr.history.entries import Change
from rawr.history.literals import Value, literal_at, literal_string
from rawr.history.patches import changes_of

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
_PLAN = re.compile(r"tools\s*\.\s*update_plan\s*\(")


def commands_in(script: str) -> tuple[str, ...]:
    found = _CALL.findall(script[:MAX_SCRIPT])
    return tuple(literal_string(one) for one in found[:MAX_COMMANDS])


def changes_in(script: str) -> tuple[Change, ...]:
    """The files of the patches in it, whether they are given to the tool at once or by a name."""
    if "*** Begin Patch" not in script:
        return ()
    return tuple(
        change
        for one in _PATCH.findall(script[:MAX_SCRIPT])[:MAX_COMMANDS]
        for change in changes_of(literal_string(one))
    )


def plans_in(script: str) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The steps of each plan in it, with their states; a plan that is put together by the script is not there."""
    if "update_plan" not in script:
        return ()
    found = (literal_at(script, call.end()) for call in _PLAN.finditer(script[:MAX_SCRIPT]))
    return tuple(steps for one in found if (steps := _steps(one)))[:MAX_COMMANDS]


def _steps(given: Value) -> tuple[tuple[str, str], ...]:
    plan = given.get("plan") if isinstance(given, dict) else None
    found: list[tuple[str, str]] = []
    for one in plan if isinstance(plan, list) else ():
        match one:
            case {"step": str(step), "status": str(status)}:
                found.append((step, status))
            case _:
                # A part of a plan is another plan.
                return ()
    return tuple(found)
