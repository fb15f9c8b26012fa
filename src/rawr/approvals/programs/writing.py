"""The few programs that write, limited to the workspace (C10): they create something new, and destroy nothing.

Not here, though a project may be full of them: ``rm`` and ``mv``, which take something away; ``ln``, which makes paths
mean something else; ``chmod``; ``sed -i`` and ``tee``, which overwrite files. A file change that the agent proposes as
such says what it does; these do not.
"""

import os
import stat
from pathlib import Path, PurePosixPath

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call, Check, judge, readings, spec
from rawr.approvals.reading.word import Word

_MKDIR = spec("-pv --parents --verbose", operands="new")
_TOUCH = spec("-acm --no-create", word="-d -t --date", operands="new")
_CP = spec("-nvp --no-clobber --verbose", operands="read")


def _made(call: Call) -> list[str]:
    allowed = _MKDIR if call.name == "mkdir" else _TOUCH
    problems = judge(call, allowed)
    for operand in (operand for read in readings(call, allowed) for operand in read.operands):
        problems += _trap(operand.text or "")
    return problems


def _trap(name: str) -> list[str]:
    """A name that a pattern in a later command would turn into an option."""
    inside = any(part.startswith("-") and part != "-" for part in PurePosixPath(name).parts)
    return [f"{shown(name)} would look like an option."] if inside else []


def _cp(call: Call) -> list[str]:
    """Copies existing files to names that do not exist yet."""
    problems = judge(call, _CP)
    for operands in (read.operands for read in readings(call, _CP)):
        if len(operands) < 2:
            return [*problems, "`cp` needs a source and a target."]
        if any(word.shape or word.counted for word in operands):
            problems.append("`cp` has a pattern among its arguments.")
        for folder in call.folders:
            for source in operands[:-1]:
                problems += _copied(source, operands[-1], folder, call=call)
    return problems


def _copied(source: Word, target: Word, folder: Path, *, call: Call) -> list[str]:
    if source.text is None or target.text is None:
        return []
    look = call.places.look
    if look.kind(look.real(source.text, within=folder)) != stat.S_IFREG:
        return [f"{shown(source.text)} is not an existing file."]
    # An earlier command may have made the target a folder by then.
    inside = os.path.join(target.text, os.path.basename(source.text))  # noqa: PTH118, PTH119 - as cp joins the words
    is_folder = look.kind(look.real(target.text, within=folder)) == stat.S_IFDIR
    names = [inside] if is_folder else [target.text, inside]
    for name in names:
        if os.path.lexists(folder / name):
            return [f"{shown(name)} already exists."]
    problems = _trap(target.text)
    for name in names:
        problems += call.places.unwritable(name, frozenset({folder}))
    return problems


WRITERS: dict[str, Check] = {"mkdir": _made, "touch": _made, "cp": _cp}
