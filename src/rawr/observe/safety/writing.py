"""The few programs that write, kept to the workspace (C10): they make something new, and destroy nothing.

Not here, though a project may be full of them: ``rm`` and ``mv``, which take something away; ``ln``, which makes paths
mean something else; ``chmod``; ``sed -i`` and ``tee``, which write over what was there. A file change that the agent
proposes as such says what it does; these do not.
"""

import os
from pathlib import Path

from rawr.observe.safety.arguments import Call, Check, judge, read_arguments, spec
from rawr.observe.safety.judgment import shown
from rawr.observe.safety.lexer import Word

_MKDIR = spec("-pv --parents --verbose", operands="new")
_TOUCH = spec("-acm --no-create", text="-d -t --date", operands="new")
_CP = spec("-nvp --no-clobber --verbose", operands="read")


def _made(call: Call) -> list[str]:
    allowed = _MKDIR if call.name == "mkdir" else _TOUCH
    return judge(call, allowed)


def _cp(call: Call) -> list[str]:
    """Files that are there, to names that are not yet."""
    problems = judge(call, _CP)
    operands = read_arguments(call, _CP).operands
    if len(operands) < 2:
        return [*problems, "`cp` is given no source and target."]
    if any(word.shape or word.counted for word in operands):
        problems.append("`cp` is given a pattern.")
    for folder in call.folders:
        for source in operands[:-1]:
            problems += _copied(source, operands[-1], folder, call=call)
    return problems


def _copied(source: Word, target: Word, folder: Path, *, call: Call) -> list[str]:
    if source.text is None or target.text is None:
        return []
    if not (folder / source.text).is_file():
        return [f"{shown(source.text)} is not a file that is there."]
    name = target.text
    if (folder / name).is_dir():
        name = os.path.join(name, os.path.basename(source.text))  # noqa: PTH118, PTH119 - the words, as cp joins them
    if os.path.lexists(folder / name):
        return [f"{shown(name)} is there already."]
    return call.places.unwritable(name, frozenset({folder}))


WRITERS: dict[str, Check] = {"mkdir": _made, "touch": _made, "cp": _cp}
