"""Exit codes. The numbers are a promise to scripts; docs/reference/exit-codes.md is generated from here."""

from enum import IntEnum
from typing import Self


class Exit(IntEnum):
    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    OK = 0, "Success; also when the reader of the output, such as `head`, stopped reading."
    PROBLEM = 1, "A check failed, or the command could not do what you asked."
    PAUSED = 2, "A run is paused and can be resumed."
    GUARD = 3, "A guard or a budget stopped a run."
    FAILED = 4, "A run failed."
    USAGE = 64, "The command line is wrong."
    CODEX = 69, "Codex is missing, is not Codex, or failed."
    BUG = 70, "rawr itself failed. Run again with --debug and report what it prints."
    LOST = 72, "The journal was deleted, replaced, cut short or changed while rawr was using it, and rawr stopped."
    JOURNAL = 74, "The journal, a folder or the output cannot be used: damaged, read-only or full."
    BUSY = 75, "The host has as many clients as it takes. Try again later."
    NOT_A_PERSON = 77, "Only a person may do this, and the command comes from the agent, or from a process it started."
    CONFIG = 78, "A file that a person wrote cannot be used."
    INTERRUPTED = 130, "Ctrl-C, SIGTERM or a closed terminal, with no run to pause."
