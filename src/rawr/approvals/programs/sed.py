"""sed scripts that only print (C10).

sed can run programs (``e``), read and write files (``r``, ``w``, ``s///w``). A script is safe if every command in it
does none of that, if its delimiters can be read in only one way, and if it terminates: no jumps, no ``D`` (which starts
over with the rest), and nothing that doubles a line again and again.
"""

import re

from rawr.approvals.judgment import shown
from rawr.approvals.programs.arguments import Call, Read, judge, readings, spec
from rawr.approvals.programs.costs import costly_expression
from rawr.approvals.reading.word import Word

_LINE = re.compile(r"\d+(?:~\d+)?|\$|[+~]\d+", re.ASCII)
_PRINTS = re.compile(r"[pPdnNhHgGxl=](?=[\s;}]|$)|[qQ]\d*(?=[\s;}]|$)", re.ASCII)
_FLAGS = re.compile(r"[gpiImM0-9]*(?=[\s;}]|$)", re.ASCII)
_BETWEEN = re.compile(r"[\s;{}]*")
_PATTERN = re.compile(r"(?:[^\\\[]|\\.|\[\^?+\]?+(?:\[:[a-z]+:\]|\\[^\]\[\\]|[^\]\[\\])*\])*", re.DOTALL)
"""Closed brackets in which all versions of sed see the same end."""

_WHOLE = re.compile(r"&|\\[0-9]")
"""In a replacement, the match or a part of it."""
MOST_GROWTH = 10_000

_SPEC = spec(
    "-nErsuz --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix",
    text="-e --expression",
    lettered="-e",
    first=("text",),
    replaces_first="-e --expression",
)


class _Refused(Exception):
    pass


def judge_sed(call: Call) -> list[str]:
    problems = judge(call, _SPEC)
    for scripts in map(_scripts, readings(call, _SPEC)):
        if not scripts and not problems:
            problems.append("`sed` has no script.")
        for script in scripts:
            if script.once or script.varying:
                problems.append(f"The sed script {shown(script.raw)} is a pattern, and files may come that it matches.")
            if script.text is not None and not only_prints(script.text):
                problems.append(f"The sed script {shown(script.text)} is not known to only print.")
    return problems


def _scripts(read: Read) -> list[Word]:
    given = [value for option, value in read.given if option in ("-e", "--expression") and value is not None]
    return given or list(read.operands[:1])


def only_prints(script: str) -> bool:
    try:
        _Script(script).run()
    except _Refused:
        return False
    return True


class _Script:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.growth = 1
        """How many times longer a line may become."""
        self.held = ""
        """The commands that move or append between the line and the hold space, in order."""

    def run(self) -> None:
        self._take(_BETWEEN)
        while self.at < len(self.text):
            self._addresses()
            self._command()
            self._take(_BETWEEN)
        if self.growth > MOST_GROWTH or _doubles(self.held, grows=self.growth > 1):
            raise _Refused

    def _take(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self.text, self.at)
        if found is None:
            return False
        self.at = found.end()
        return True

    def _addresses(self) -> None:
        if self._address() and self._letter(","):
            self._blanks()
            if not self._address():
                raise _Refused
        self._blanks()
        if self._letter("!"):
            self._blanks()

    def _address(self) -> bool:
        if self._letter("/"):
            self._until("/", pattern=True)
            while self._letter("I") or self._letter("M"):
                pass
        elif not self._take(_LINE):
            return False
        self._blanks()
        return True

    def _command(self) -> None:
        if self._letter("{"):
            return  # the commands in the braces follow
        if self._letter("s"):
            delimiter = self._delimiter()
            pattern = self._until(delimiter, pattern=True)
            replacement = self._until(delimiter, pattern=False)
            flags = self.at
            if not self._take(_FLAGS):
                raise _Refused
            self.growth *= _growth(pattern, replacement, everywhere=self.at > flags)
        elif self._letter("y"):
            delimiter = self._delimiter()
            self._until(delimiter, pattern=False)
            self._until(delimiter, pattern=False)
        else:
            letter = self.text[self.at : self.at + 1]
            if not self._take(_PRINTS):
                raise _Refused
            self.held += letter if letter in "GHNhgx" else ""

    def _letter(self, letter: str) -> bool:
        if self.text.startswith(letter, self.at):
            self.at += 1
            return True
        return False

    def _blanks(self) -> None:
        while self._letter(" "):
            pass

    def _delimiter(self) -> str:
        delimiter = self.text[self.at : self.at + 1]
        if not delimiter or delimiter.isalnum() or delimiter in "\\\n;[]{} " or not delimiter.isascii():
            raise _Refused
        self.at += 1
        return delimiter

    def _until(self, delimiter: str, *, pattern: bool) -> str:
        """The text up to the delimiter. Versions of sed differ on a delimiter in brackets, so there must be none."""
        start = self.at
        while self.at < len(self.text):
            here = self.text[self.at]
            if here == delimiter:
                break
            if here == "\n" and pattern:
                raise _Refused
            self.at += 2 if here == "\\" else 1
        else:
            raise _Refused
        found = self.text[start : self.at]
        if pattern and (not _PATTERN.fullmatch(found) or costly_expression(found)):
            raise _Refused
        self.at += 1
        return found


def _doubles(held: str, *, grows: bool) -> bool:
    """Return True if the hold space may be appended to itself. ``G;h`` and ``H;x`` add a line; more is never needed."""
    if not set(held) & set("hHx"):
        return False
    appends = [letter for letter in held if letter in "GHN"]
    moves = [letter for letter in held if letter in "hgx"]
    return grows or (len(appends) > 0 and (len(appends) + len(moves) > 2 or ("g" in held and "H" in held)))


def _growth(pattern: str, replacement: str, *, everywhere: bool) -> int:
    """The factor by which a replacement may lengthen a line. ``everywhere``: each letter may be a match."""
    whole = len(_WHOLE.findall(replacement))
    if not everywhere:
        return max(1, whole)
    found = len(pattern) if pattern.isalnum() else 1
    return max(1, whole + -(-len(_WHOLE.sub("", replacement)) // found))
