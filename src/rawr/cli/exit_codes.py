"""How rawr ends. The numbers are a promise to scripts; docs/reference/exit-codes.md is written from here."""

from enum import IntEnum
from typing import Self


class Exit(IntEnum):
    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    OK = 0, "Done; or whoever read the output has seen enough, as `head` does."
    PROBLEM = 1, "A check failed, or what was asked for did not come out as it should."
    PAUSED = 2, "A run is paused and can be resumed."
    GUARD = 3, "A guard or a budget stopped a run."
    FAILED = 4, "A run failed."
    USAGE = 64, "The command line was not understood."
    CODEX = 69, "Codex is missing, is not Codex, or did not work."
    BUG = 70, "rawr itself failed. Run again with --debug and report what it prints."
    LOST = 72, "The journal was deleted, replaced, cut short or changed while rawr was using it, and rawr stopped."
    JOURNAL = 74, "The journal, a folder or the output cannot be used: damaged, read-only, no space."
    CONFIG = 78, "A file that a person wrote cannot be used."
    INTERRUPTED = 130, "Ctrl-C, SIGTERM or a closed terminal, where there was no run to pause."
