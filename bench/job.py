"""The job of the retention benchmark: its repository, what the user says and answers, and the facts it leaves behind.

What the agent does is in ``scenarios/job.yaml``; the packets and summaries that it may be followed by stand beside it.
Dates are fixed, so the commits have the same ids in every run and a summary can name them.
"""

import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from rawr.testing import Say, Scenario, ScriptedCodex, load_scenario

Kind = Literal["file", "commit", "plan step", "failed command", "directive", "decision"]
Summary = Literal["good", "poor", "empty"]
Packet = Literal["whole", "forgetful", "hostile", "none"]

SCENARIOS = Path(__file__).parent / "scenarios"
NOON = "2026-01-01T12:00:00Z"
FEATURES = {"features": {"default_mode_request_user_input": True}}
"""The tool with which the agent asks the user; Codex has it off by default."""
GOES_ON = "I go on with the quoting."

GOAL = "Rows at the end of a file must be read whether or not a newline follows them. Plan it before you begin."
CALLS = "Never change how read_rows is called: two other teams source the file. Begin with the test."
SUBJECTS = "From now on write commit subjects in the imperative, without ticket numbers. Now mend it."
DEPENDENCIES = "Do not add dependencies, not even for the tests. Go on with the plan."
MESSAGES = (GOAL, CALLS, SUBJECTS, DEPENDENCIES)
"""One turn each. Those after the goal are standing directives."""
ANSWERS = {"blank": "Keep them as they are", "escape": "Doubled, as in RFC 4180"}

REPOSITORY = {
    "src/reader.sh": """\
# Source this file. read_rows FILE prints one row a line.
read_rows() {
  while IFS= read -r row; do
    printf '%s\\n' "$row"
  done < "$1"
}
""",
    "src/legacy.sh": 'old_rows() { cat "$1"; }\n',
    "tests/run.sh": """\
for test in tests/test_*.sh; do
  sh "$test" || exit 1
done
echo "all passed"
""",
    "tests/test_rows.sh": """\
. src/reader.sh
[ "$(printf 'one\\ntwo\\n' | read_rows /dev/stdin | wc -l)" -eq 2 ]
""",
    "tests/slow.sh": """\
seq -f 'row %06g: ok, 7 fields, 0 blank, no warnings' 1 600
[ "$1" = --first ] && exit 0
echo "row 000601: unexpected end of file"
exit 3
""",
    "CHANGES.md": "# Changes\n",
}


class Fact(Struct, frozen=True):
    """Something that happened. A text has it when one line holds every part, letter by letter."""

    kind: Kind
    parts: tuple[str, ...]

    def stands_in(self, text: str) -> bool:
        return any(all(part in line for part in self.parts) for line in text.splitlines())


FACTS = (
    Fact("file", ("tests/test_no_newline.sh",)),
    Fact("file", ("src/reader.sh",)),
    Fact("file", ("src/legacy.sh",)),
    Fact("file", ("docs/reading.md",)),
    Fact("file", ("CHANGES.md",)),
    Fact("file", ("src/quoting.sh",)),
    Fact("file", ("tests/quoted.csv",)),
    Fact("file", ("docs/quoting.txt",)),
    Fact("commit", ("144639e", "Test rows at the end of a file without a newline")),
    Fact("commit", ("0e20c1f", "Keep the last row when its newline is missing")),
    Fact("commit", ("9d5589a", "Say what counts as a row")),
    Fact("plan step", ("done:", "Write a test that fails")),
    Fact("plan step", ("done:", "Mend the reader")),
    Fact("plan step", ("done:", "Describe how rows are read")),
    Fact("plan step", ("doing:", "Read quoted fields")),
    Fact("plan step", ("to do:", "Measure a file of a million rows")),
    Fact("plan step", ("to do:", "Tag the release")),
    Fact("failed command", ("exit code 3", "sh tests/slow.sh --all")),
    Fact("failed command", ("exit code 128", "git push origin main")),
    Fact("failed command", ("exit code 2", "sh src/quoting.sh --check")),
    Fact("directive", (GOAL,)),
    Fact("directive", (CALLS,)),
    Fact("directive", (SUBJECTS,)),
    Fact("directive", (DEPENDENCIES,)),
    Fact("decision", ("Should rows that hold only blanks be kept?", "Keep them as they are")),
    Fact("decision", ("How is a quote inside a quoted field written?", "Doubled, as in RFC 4180")),
)
NOT_A_FACT = Fact("failed command", ("exit code 1:", "sh tests/run.sh"))
"""It failed once and has succeeded since: nobody may be told that it fails."""


def count(facts: Iterable[Fact]) -> Counter[Kind]:
    return Counter(fact.kind for fact in facts)


def present(text: str) -> Counter[Kind]:
    """How many facts of each kind the text has."""
    return count(fact for fact in FACTS if fact.stands_in(text))


def scenario(summary: Summary, packet: Packet | None) -> Scenario:
    """The job, the packet if somebody asks for one, the summary, and one more reply after the compaction."""
    job = load_scenario(SCENARIOS / "job.yaml")
    parts = [job, load_scenario(SCENARIOS / f"summary_{summary}.yaml")]
    if packet is not None:
        parts.append(load_scenario(SCENARIOS / f"packet_{packet}.yaml"))
    replies = [reply for part in parts for reply in part.replies]
    return Scenario.of(job.name, [*replies, Say(GOES_ON)], window=job.window)


# -- the repository ---------------------------------------------------------------------------------------------


def environment(codex: ScriptedCodex) -> dict[str, str]:
    return codex.env() | {"GIT_AUTHOR_DATE": NOON, "GIT_COMMITTER_DATE": NOON}


def lay_out(codex: ScriptedCodex) -> None:
    """The repository as the agent finds it."""
    for path, text in REPOSITORY.items():
        file = codex.home.workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "The reader")):
        _git(codex, *arguments)


def check_repository(codex: ScriptedCodex) -> None:
    """The commits and files among the facts are those of the repository, all of them and no other."""
    commits = {tuple(line.split(" ", 1)) for line in _git(codex, "log", "--format=%h %s", "main", "^main~3")}
    assert commits == {fact.parts for fact in FACTS if fact.kind == "commit"}, commits
    committed = _git(codex, "diff", "--name-only", "main~3", "main")
    left = _git(codex, "ls-files", "--others")
    files = {fact.parts[0] for fact in FACTS if fact.kind == "file"}
    assert {*committed, *left} == files, (committed, left)


def _git(codex: ScriptedCodex, *arguments: str) -> Sequence[str]:
    command = ["git", "-c", "core.abbrev=7", *arguments]
    done = subprocess.run(
        command,
        cwd=codex.home.workspace,
        env=environment(codex),
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    )
    return done.stdout.splitlines()
