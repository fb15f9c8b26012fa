"""How much of what real agents ran would be approved (C10). It prints counts and nothing else.

``python scripts/approved_share.py FOLDER``: a folder with session files (``rollout-*.jsonl``) of any version, at any
depth. Each session gets an empty workspace with a repository, at another place, and its commands are judged as if they
ran there: nothing is run, and nothing of a session is written or shown. Files that are named do not exist, so the share
is what the lines themselves allow; a real workspace with credentials or links in it allows less.

``--reasons N`` adds the N most frequent reasons among the refused, with everything that is not the name of a known
program left out.
"""

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from rawr.approvals import Judgment, Surroundings, judge_command
from rawr.approvals.programs.listed import CHECKS, SPECS
from rawr.approvals.programs.own import OWN
from rawr.approvals.programs.refused import WHY
from rawr.approvals.reach import Reach

SHELL_TOOLS = ("shell", "shell_command", "exec_command", "container.exec", "local_shell", "unified_exec")
_IN_SCRIPT = re.compile(r"tools\.(?:shell_command|exec_command|shell)\(\s*\{(.*?)\}\s*\)", re.DOTALL)
_LINE_IN_SCRIPT = re.compile(r"\b\"?(?:command|cmd)\"?\s*:\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`$\\]*`)")
_FOLDER_IN_SCRIPT = re.compile(r"\b\"?workdir\"?\s*:\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')")
_TOLD_FOLDER = re.compile(r"<cwd>([^<]+)</cwd>|Current working directory: (\S+)")
_HOME = re.compile(r"/(?:home|Users)/[^/]+|/root(?=/|$)")
_QUOTED = re.compile(r"`([^`]*)`")
_OF_THE_SESSION = re.compile(r"\$\{?\w+\}?|\b[0-9a-f]{7,}\b")
"""In a reason, outside its quotes: the name of a variable, the hash of an object."""
_OPTIONS = {option for spec in SPECS.values() for option in (*spec.flags, *spec.values, *spec.optional)} | {
    *(["-c", "-n", "-exec", "-delete", "-i", "-o", "-f"]),
    *([">", ">>", "<", "<<", "&", "&&", "|", "||", ";"]),
}
_NAMES = SPECS.keys() | CHECKS.keys() | OWN.keys() | WHY.keys() | {"git", "cd", "bash", "sh", "zsh", "tar", "unzip"}


class Ran(Struct, frozen=True):
    """What an agent asked to run: words, or a line for the user's shell."""

    line: str
    words: tuple[str, ...] = ()
    folder: str = ""
    session_folder: str = ""
    escalated: bool = False


class Tally(Struct):
    judged: int = 0
    approved: int = 0
    lines: dict[str, bool] = {}
    reasons: Counter[str] = Counter()
    alone: Counter[str] = Counter()

    def add(self, line: str, judgment: Judgment) -> None:
        self.judged += 1
        self.approved += judgment.safe
        if self.lines.setdefault(line, judgment.safe) or judgment.safe:
            return
        masked = {_masked(reason) for reason in judgment.reasons}
        self.reasons.update(masked)
        if len(masked) == 1:
            self.alone.update(masked)

    def told(self, what: str) -> str:
        distinct = sum(self.lines.values())
        return (
            f"{what}: {self.approved} of {self.judged} ({_share(self.approved, self.judged)}), "
            f"distinct {distinct} of {len(self.lines)} ({_share(distinct, len(self.lines))})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Count how many commands of real sessions would be approved.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reasons", type=int, default=0, metavar="N")
    given = parser.parse_args()
    everything, escalated = Tally(), Tally()
    sessions = others = 0
    with tempfile.TemporaryDirectory() as temporary:
        judge = _Judge(Path(temporary).resolve())
        for file in sorted(given.folder.rglob("rollout-*.jsonl")):
            sessions += 1
            for ran in commands(file):
                if not posix(ran):
                    others += 1
                    continue
                line, judgment = judge(ran)
                everything.add(line, judgment)
                if ran.escalated:
                    escalated.add(line, judgment)
    print(f"{sessions} sessions, {everything.judged} POSIX commands, {others} others left out")
    print(everything.told("approved"))
    print(escalated.told("approved of those that the agent escalated"))
    for title, counted in (("for this reason only", everything.alone), ("for this reason too", everything.reasons)):
        if given.reasons:
            print(f"\nrefused distinct lines, {title}:")
        for reason, count in counted.most_common(given.reasons):
            print(f"{count:7}  {reason}")


class _Judge:
    """Each session in a workspace of its own, where nothing is but a repository."""

    def __init__(self, place: Path) -> None:
        self.home = place / "home"
        self.home.mkdir()
        self.workspace = place / "workspace"
        self.workspace.mkdir()
        git = shutil.which("git") or sys.exit("git is not here")
        subprocess.run([git, "init", "-q", "--template=", str(self.workspace)], check=True)
        self.around = Surroundings(home=self.home, path=("/usr/local/bin", "/usr/bin", "/bin"))

    def __call__(self, ran: Ran) -> tuple[str, Judgment]:
        line = self._moved(_as_asked(ran), ran.session_folder)
        folder = self._moved(ran.folder, ran.session_folder)
        judged = judge_command(
            line,
            cwd=Path(folder or self.workspace),
            workspace=self.workspace,
            protected=(self.home / ".codex",),
            around=self.around,
            # As for a project in a person's home: what it rests on here lies in the folder for temporary files.
            reach=Reach((str(self.workspace),)),
        )
        return f"{folder}\0{line}", judged

    def _moved(self, text: str, folder: str) -> str:
        if folder and folder != "/":
            text = re.sub(re.escape(folder.rstrip("/")) + r"(?![\w.-])", str(self.workspace), text)
            if home := _HOME.match(folder):
                text = re.sub(re.escape(home[0]) + r"(?![\w.-])", str(self.home), text)
        return text


def _as_asked(ran: Ran) -> str:
    """As Codex shows it: the words joined, the user's shell around a line."""
    if ran.words:
        return shlex.join(ran.words)
    shell = "/bin/zsh" if ran.session_folder.startswith("/Users/") else "/bin/bash"
    return shlex.join([shell, "-lc", ran.line])


def posix(ran: Ran) -> bool:
    first = (ran.words[0] if ran.words else "").lower()
    windows = re.match(r"[A-Za-z]:|\\\\", ran.folder or ran.session_folder)
    return not windows and not first.endswith((".exe", "powershell", "pwsh", "cmd"))


def commands(file: Path) -> Iterator[Ran]:
    """Every command that an agent asked to run, in any format that Codex has written."""
    folder = ""
    for item in _items(file):
        folder = _session_folder(item) or folder
        for call in _calls(item):
            yield Ran(
                line=call.line,
                words=call.words,
                folder=call.folder or folder,
                session_folder=folder or call.folder,
                escalated=call.escalated,
            )


def _items(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of a session file, without their envelopes; what is no record is passed over."""
    with file.open("rb") as lines:
        for line in lines:
            try:
                item = json.loads(line.strip(b"\0 \r\n") or b"{}")
            except ValueError:
                continue
            if isinstance(item, dict):
                payload = item.get("payload")
                yield payload if isinstance(payload, dict) else item


def _session_folder(item: dict[str, Any]) -> str:
    if isinstance(cwd := item.get("cwd"), str):
        return cwd
    if item.get("type") == "message":
        told = _TOLD_FOLDER.search(json.dumps(item.get("content"), ensure_ascii=False)[:20_000])
        return "" if told is None else told[1] or told[2]
    return ""


def _calls(item: dict[str, Any]) -> Iterator[Ran]:
    match item:
        case {"type": "function_call", "name": str(name), "arguments": str(arguments)} if name in SHELL_TOOLS:
            try:
                given = json.loads(arguments)
            except ValueError:
                return
            yield from _call(given)
        case {"type": "local_shell_call", "action": dict(action)}:
            yield from _call(action)
        case {"type": "custom_tool_call", "name": "exec", "input": str(script)}:
            for found in _IN_SCRIPT.finditer(script):
                yield from _in_script(found[1])
        case _:
            return


def _call(given: object) -> Iterator[Ran]:
    if not isinstance(given, dict):
        return
    asked = given.get("command", given.get("cmd"))
    folder = given.get("workdir") or given.get("working_directory") or ""
    folder = folder if isinstance(folder, str) else ""
    escalated = (
        given.get("with_escalated_permissions") is True or given.get("sandbox_permissions") == "require_escalated"
    )
    if isinstance(asked, str) and asked:
        yield Ran(line=asked, folder=folder, escalated=escalated)
    elif isinstance(asked, list) and asked and all(isinstance(word, str) for word in asked):
        yield Ran(line="", words=tuple(asked), folder=folder, escalated=escalated)


def _in_script(text: str) -> Iterator[Ran]:
    line, folder = _LINE_IN_SCRIPT.search(text), _FOLDER_IN_SCRIPT.search(text)
    if line is not None:
        asked = {"command": _literal(line[1]), "workdir": _literal(folder[1]) if folder else ""}
        escalated = "require_escalated" in text
        yield from _call({**asked, "with_escalated_permissions": escalated})


def _literal(text: str) -> str:
    inner = text[1:-1]
    if text[0] == "'":
        inner = inner.replace("\\'", "'").replace('"', '\\"')
    try:
        return inner if text[0] == "`" else str(json.loads(f'"{inner}"'))
    except ValueError:
        return ""


def _masked(reason: str) -> str:
    """A reason without anything of the session's: only programs and options that rawr knows by name are left.

    What is quoted may hold backquotes itself, so all from the first unknown quotation to the last is left out.
    """
    unknown = next((found for found in _QUOTED.finditer(reason) if found[1] not in _NAMES | _OPTIONS), None)
    if unknown is not None:
        reason = f"{reason[: unknown.start()]}`…`{reason[reason.rindex('`') + 1 :]}"
    return _OF_THE_SESSION.sub("…", reason)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "none"


if __name__ == "__main__":
    main()
